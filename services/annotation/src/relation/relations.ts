import { isDuplicateKey, transaction } from '@intake/mongo';
import { type Caller, invalidField, organizationOf } from '@intake/rpc';
import type { Annotation } from '../annotation/annotation.types';
import type { AnnotationTools } from '../annotation/annotation-tools';
import { RELATION_TYPES, type Relation, type RelationType } from './relation.store';

/** What a client says of a relation. */
export interface GivenRelation {
  readonly id: number;
  readonly type: string;
  readonly key: string | null;
  readonly parentId: number | null;
  readonly annotationIds: readonly number[];
}

/** Relations made by clients; each annotation knows the relations it belongs to. API: related-objects.md section 3. */
export function createRelations({
  backbone,
  store,
  relations,
}: Pick<AnnotationTools, 'backbone' | 'store' | 'relations'>) {
  /** Checks what is given; every annotation must be visible to the caller. */
  const check = async (caller: Caller, given: GivenRelation): Promise<Omit<Relation, 'id'>> => {
    if (!isType(given.type)) throw invalidField('type', `"${given.type}" is not a valid choice.`);
    const ids = [...new Set(given.annotationIds)];
    const all = given.parentId === null ? ids : [given.parentId, ...ids];
    const found = new Map((await store.getMany(caller, all)).map((annotation) => [annotation.id, annotation]));
    const missing = (id: number) => !found.has(id);
    if (given.parentId !== null && missing(given.parentId)) {
      throw invalidField('parent', 'Invalid hyperlink - Object does not exist.');
    }
    if (ids.some(missing)) throw invalidField('annotations', 'Invalid hyperlink - Object does not exist.');
    return {
      organizationId: organizationOf(caller),
      type: given.type,
      key: given.key,
      parentId: given.parentId,
      annotationIds: ids,
      queueIds: [...new Set(all.map((id) => (found.get(id) as Annotation).queueId))],
    };
  };

  return {
    async create(caller: Caller, given: GivenRelation): Promise<Relation> {
      const relation = { ...(await check(caller, given)), id: await backbone.ids.next('relation') };
      await transaction(backbone.database, async (session) => {
        await relations.insert(session, relation);
        await store.changeIds(session, relation.annotationIds, 'relationIds', { add: [relation.id] });
      }).catch(refuseTakenKey);
      return relation;
    },
    async update(caller: Caller, given: GivenRelation): Promise<Relation> {
      await relations.get(caller, given.id);
      const checked = await check(caller, given);
      return transaction(backbone.database, async (session) => {
        const before = await relations.get(caller, given.id, session);
        const after = { ...checked, id: before.id };
        const gone = before.annotationIds.filter((id) => !after.annotationIds.includes(id));
        await relations.replace(session, after);
        await store.changeIds(session, gone, 'relationIds', { remove: [after.id] });
        await store.changeIds(session, after.annotationIds, 'relationIds', { add: [after.id] });
        return after;
      }).catch(refuseTakenKey);
    },
    async remove(caller: Caller, id: number): Promise<void> {
      await transaction(backbone.database, async (session) => {
        const { annotationIds } = await relations.get(caller, id, session);
        await relations.remove(session, id);
        await store.changeIds(session, annotationIds, 'relationIds', { remove: [id] });
      });
    },
  };
}

/** What is the same belongs together: one relation of duplicates has a key. */
function refuseTakenKey(error: unknown): never {
  if (isDuplicateKey(error)) throw invalidField('key', 'There is a relation of duplicates with this key.');
  throw error;
}

function isType(text: string): text is RelationType {
  return (RELATION_TYPES as readonly string[]).includes(text);
}
