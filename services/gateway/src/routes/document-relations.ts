import { documentStorage } from '@intake/contracts';
import { DOCUMENT_RELATION, unknownReference } from '@intake/resources';
import type { Caller } from '@intake/rpc';
import { choices, ids, texts } from '../request/filters';
import { resourceRoutes } from '../resource/resource';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

type Relation = documentStorage.DocumentRelation;

/** Further documents of annotations. API: documents-and-uploads.md section 5. */
export function documentRelationRoutes({ services }: RouteContext) {
  const { storage } = services;

  const get = async (id: number, caller: Caller): Promise<Relation> => {
    const filter = documentStorage.ListDocumentRelationsRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
    return onlyOne((await storage.listDocumentRelations(filter, caller)).relations);
  };
  /** With the queue of its annotation, which decides who sees the relation. */
  const placed = async (relation: Relation, caller: Caller): Promise<Relation> => {
    const [annotation] = (await services.annotation.getAnnotations({ ids: [relation.annotationId] }, caller))
      .annotations;
    if (!annotation) throw unknownReference('annotation');
    return { ...relation, queueId: annotation.queueId };
  };

  return resourceRoutes('/document_relations', {
    kind: DOCUMENT_RELATION,
    read: 'readAnnotations',
    write: 'dispose',
    filters: { id: ids, type: choices('export', 'einvoice'), annotation: ids, key: texts, documents: ids },
    orderings: ['id', 'type', 'annotation'],
    list: async ({ filters, ...wanted }, caller) => {
      const filter = {
        ids: filters.id,
        types: filters.type,
        keys: filters.key,
        annotationIds: filters.annotation,
        documentIds: filters.documents,
      };
      const { relations, total } = await storage.listDocumentRelations({ ...filter, ...wanted }, caller);
      return { rows: relations, total };
    },
    get,
    create: async (values: Relation, caller) => {
      const relation = documentStorage.DocumentRelation.fromPartial({ ...values, type: values.type ?? 'export' });
      return storage.createDocumentRelation(await placed(relation, caller), caller);
    },
    update: async (id, values: Relation, _fields, caller) => {
      const before = await get(id, caller);
      const after = documentStorage.DocumentRelation.fromPartial({ ...before, ...values, id });
      return storage.updateDocumentRelation(await placed(after, caller), caller);
    },
    remove: (id, caller) => storage.deleteDocumentRelation({ id }, caller),
  });
}
