import { annotation as contract } from '@intake/contracts';
import { boolean, integer, reference, string, suggestedEditToJson } from '@intake/resources';
import type { Caller } from '@intake/rpc';
import { z } from 'zod';
import { listRoute } from '../list-route';
import { SUGGESTED_EDIT } from '../openapi/objects';
import { created, replyOne } from '../reply/list';
import { ids } from '../request/filters';
import { type ApiRequest, route } from '../route';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

const page = z.object({
  page: reference('pages'),
  rotation: integer()
    .refine((degrees) => [0, 90, 180, 270].includes(degrees), 'Expected 0, 90, 180 or 270.')
    .nullish(),
  deleted: boolean.nullish(),
});
const documents = z
  .array(
    z.object({
      pages: z.array(page).min(1, 'Give at least one page.').max(1000),
      target_queue: reference('queues'),
      values: z.record(string(100), string(1500)).nullish(),
    }),
  )
  .max(500);
type Documents = z.infer<typeof documents>;

/** Proposals how to cut documents. API: related-objects.md section 6. */
export function suggestedEditRoutes({ services }: RouteContext) {
  const { annotation: annotations } = services;
  const find = async (id: number, caller: Caller) => {
    const request = contract.ListSuggestedEditsRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
    return onlyOne((await annotations.listSuggestedEdits(request, caller)).suggestedEdits);
  };
  const toDocuments = (given: Documents): contract.SuggestedDocument[] =>
    given.map(({ pages, target_queue, values }) => ({
      pages: pages.map(({ page: pageId, rotation, deleted }) => ({
        pageId,
        rotation: rotation ?? 0,
        deleted: deleted ?? false,
      })),
      targetQueueId: target_queue,
      values: values ?? {},
    }));
  const update = async (id: number, given: Documents | undefined, caller: Caller) => {
    const before = await find(id, caller);
    return given ? annotations.updateSuggestedEdit({ ...before, documents: toDocuments(given) }, caller) : before;
  };
  const reply = (row: contract.SuggestedEdit, request: ApiRequest) =>
    replyOne(request, suggestedEditToJson(row, request.urls));

  return [
    listRoute('/suggested_edits', {
      allow: 'readAnnotations',
      doc: SUGGESTED_EDIT.listed('List: suggested edit'),
      filters: { id: ids, annotation: ids },
      orderings: ['id', 'annotation'],
      fetch: async ({ filters, ...wanted }, caller) => {
        const filter = { ids: filters.id, annotationIds: filters.annotation };
        const { suggestedEdits: rows, total } = await annotations.listSuggestedEdits({ ...filter, ...wanted }, caller);
        return { rows, total };
      },
      toJson: suggestedEditToJson,
    }),
    route('POST', '/suggested_edits', {
      allow: 'dispose',
      doc: SUGGESTED_EDIT.one('Create a suggested edit', { status: 201 }),
      body: z.object({ annotation: reference('annotations'), documents }),
      call: ({ body }, caller) =>
        annotations.createSuggestedEdit(
          { id: 0, annotationId: body.annotation, documents: toDocuments(body.documents) },
          caller,
        ),
      reply: (row, { urls }) => created(suggestedEditToJson(row, urls)),
    }),
    route('GET', '/suggested_edits/:id', {
      allow: 'readAnnotations',
      doc: SUGGESTED_EDIT.retrieved('Retrieve a suggested edit'),
      call: ({ parameters }, caller) => find(parameters.id, caller),
      reply,
    }),
    route('PATCH', '/suggested_edits/:id', {
      allow: 'dispose',
      doc: SUGGESTED_EDIT.retrieved('Change a suggested edit'),
      body: z.object({ documents: documents.optional() }),
      call: ({ parameters, body }, caller) => update(parameters.id, body.documents, caller),
      reply,
    }),
    route('PUT', '/suggested_edits/:id', {
      allow: 'dispose',
      doc: SUGGESTED_EDIT.retrieved('Replace a suggested edit'),
      body: z.object({ documents }),
      call: ({ parameters, body }, caller) => update(parameters.id, body.documents, caller),
      reply,
    }),
    route('DELETE', '/suggested_edits/:id', {
      allow: 'dispose',
      doc: { summary: 'Delete a suggested edit' },
      call: ({ parameters }, caller) => annotations.deleteSuggestedEdit({ id: parameters.id }, caller),
      reply: 204,
    }),
  ];
}
