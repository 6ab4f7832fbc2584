import type { Ids } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal, seesQueue } from '@intake/rpc';
import type { DocumentStore } from '../document/document.store';
import { DOCUMENT_RELATION_TYPES, type DocumentRelation, type DocumentRelationStore } from './document-relation.store';

/** What a client says of a relation; its annotation is one that the client sees. */
export type GivenDocumentRelation = Omit<DocumentRelation, 'id' | 'organizationId'>;

export interface DocumentRelationsOptions {
  readonly ids: Ids;
  readonly relations: DocumentRelationStore;
  readonly documents: DocumentStore;
}

export type DocumentRelations = ReturnType<typeof createDocumentRelations>;

/** Relations of annotations to further documents. API: documents-and-uploads.md section 5. */
export function createDocumentRelations({ ids, relations, documents }: DocumentRelationsOptions) {
  const find = async (caller: Caller, id: number): Promise<DocumentRelation> => {
    const relation = await relations.find(caller, id);
    if (!relation) throw new Refusal('NOT_FOUND');
    return relation;
  };

  const check = async (caller: Caller, given: GivenDocumentRelation): Promise<Omit<DocumentRelation, 'id'>> => {
    if (!DOCUMENT_RELATION_TYPES.some((type) => type === given.type)) {
      throw invalidField('type', `"${given.type}" is not a valid choice.`);
    }
    if (!seesQueue(caller, given.queueId)) throw new Refusal('NOT_FOUND');
    const documentIds = [...new Set(given.documentIds)];
    const found = await documents.findMany(caller, documentIds);
    if (found.length < documentIds.length) {
      throw invalidField('documents', 'Invalid hyperlink - Object does not exist.');
    }
    return { ...given, documentIds, organizationId: organizationOf(caller) };
  };

  return {
    find,
    async create(caller: Caller, given: GivenDocumentRelation): Promise<DocumentRelation> {
      const relation = { ...(await check(caller, given)), id: await ids.next('document_relation') };
      await relations.save(relation);
      return relation;
    },
    async update(caller: Caller, id: number, given: GivenDocumentRelation): Promise<DocumentRelation> {
      await find(caller, id);
      const relation = { ...(await check(caller, given)), id };
      await relations.save(relation);
      return relation;
    },
    /** Throws CONFLICT while it holds documents. */
    async remove(caller: Caller, id: number): Promise<void> {
      await find(caller, id);
      if (await relations.removeEmpty(caller, id)) return;
      throw new Refusal('CONFLICT', { detail: 'Only a document relation without documents can be deleted.' });
    },
  };
}
