import { annotation as contract } from '@intake/contracts';
import { blockerToJson, metadata, name, noteToJson, reference, relationToJson, string } from '@intake/resources';
import type { Caller } from '@intake/rpc';
import { z } from 'zod';
import { listRoute } from '../list-route';
import { BLOCKER, NOTE, RELATION } from '../openapi/objects';
import { created, replyOne } from '../reply/list';
import { RELATION_TYPES } from '../request/annotation-filter';
import { choices, ids, texts } from '../request/filters';
import { type ApiRequest, route } from '../route';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

const note = name(4096);
const noteType = z.enum(['rejection']).nullish();
const relationBody = z.object({
  type: z.enum(RELATION_TYPES),
  key: string(255).nullish(),
  parent: reference('annotations').nullish(),
  annotations: z.array(reference('annotations')).default([]),
});
type GivenRelation = z.infer<typeof relationBody>;

/** Notes, relations and automation blockers. API: related-objects.md sections 2 to 4. */
export function relatedRoutes({ services }: RouteContext) {
  const annotations = services.annotation;

  const noteOf = async (id: number, caller: Caller) =>
    onlyOne((await annotations.listNotes(contract.ListNotesRequest.fromPartial({ ids: [id] }), caller)).notes);
  const relationOf = async (id: number, caller: Caller) =>
    onlyOne(
      (await annotations.listRelations(contract.ListRelationsRequest.fromPartial({ ids: [id] }), caller)).relations,
    );
  const oneNote = (row: contract.Note, request: ApiRequest) => replyOne(request, noteToJson(row, request.urls));
  const oneRelation = (row: contract.Relation, request: ApiRequest) =>
    replyOne(request, relationToJson(row, request.urls));
  const toRelation = (id: number, body: GivenRelation): contract.Relation => ({
    id,
    type: body.type,
    key: body.key ?? undefined,
    parentId: body.parent ?? undefined,
    annotationIds: body.annotations,
  });

  return [
    listRoute('/notes', {
      allow: 'readNotes',
      doc: NOTE.listed('List: note'),
      filters: { id: ids, annotation: ids, creator: ids },
      orderings: ['id', 'modified_at', 'created_at'],
      fetch: async ({ filters, ...wanted }, caller) => {
        const filter = { ids: filters.id, annotationIds: filters.annotation, creatorIds: filters.creator };
        const { notes, total } = await annotations.listNotes({ ...filter, ...wanted }, caller);
        return { rows: notes, total };
      },
      toJson: noteToJson,
    }),
    route('POST', '/notes', {
      allow: 'writeNotes',
      doc: NOTE.one('Create a note', { status: 201 }),
      body: z.object({
        annotation: reference('annotations'),
        content: note,
        type: noteType,
        metadata: metadata.optional(),
      }),
      call: ({ body }, caller) =>
        annotations.createNote(
          {
            annotationId: body.annotation,
            content: body.content,
            type: body.type ?? undefined,
            metadata: body.metadata,
          },
          caller,
        ),
      reply: (row, { urls }) => created(noteToJson(row, urls)),
    }),
    route('GET', '/notes/:id', {
      allow: 'readNotes',
      doc: NOTE.retrieved('Retrieve a note'),
      call: ({ parameters }, caller) => noteOf(parameters.id, caller),
      reply: oneNote,
    }),
    route('PATCH', '/notes/:id', {
      allow: 'writeNotes',
      doc: NOTE.retrieved('Change a note'),
      body: z.object({ content: note.optional(), type: noteType, metadata: metadata.optional() }),
      call: ({ parameters: { id }, body: { type, ...body } }, caller) =>
        annotations.updateNote(
          contract.UpdateNoteRequest.fromPartial({ id, ...body, ...(type !== undefined && { type: type ?? '' }) }),
          caller,
        ),
      reply: oneNote,
    }),
    route('PUT', '/notes/:id', {
      allow: 'writeNotes',
      doc: NOTE.retrieved('Replace a note'),
      body: z.object({ content: note, type: noteType, metadata: metadata.optional() }),
      call: ({ parameters: { id }, body: { type, ...body } }, caller) =>
        annotations.updateNote(contract.UpdateNoteRequest.fromPartial({ id, ...body, type: type ?? '' }), caller),
      reply: oneNote,
    }),
    route('DELETE', '/notes/:id', {
      allow: 'writeNotes',
      doc: { summary: 'Delete a note' },
      call: ({ parameters }, caller) => annotations.deleteNote({ id: parameters.id }, caller),
      reply: 204,
    }),

    listRoute('/relations', {
      allow: 'readAnnotations',
      doc: RELATION.listed('List: relation'),
      filters: { id: ids, type: choices(...RELATION_TYPES), key: texts, parent: ids, annotation: ids },
      orderings: ['id', 'type', 'parent', 'key'],
      fetch: async ({ filters, ...wanted }, caller) => {
        const filter = {
          ids: filters.id,
          types: filters.type,
          keys: filters.key,
          parentIds: filters.parent,
          annotationIds: filters.annotation,
        };
        const { relations, total } = await annotations.listRelations({ ...filter, ...wanted }, caller);
        return { rows: relations, total };
      },
      toJson: relationToJson,
    }),
    route('POST', '/relations', {
      allow: 'dispose',
      doc: RELATION.one('Create a relation', { status: 201 }),
      body: relationBody,
      call: ({ body }, caller) => annotations.createRelation(toRelation(0, body), caller),
      reply: (row, { urls }) => created(relationToJson(row, urls)),
    }),
    route('GET', '/relations/:id', {
      allow: 'readAnnotations',
      doc: RELATION.retrieved('Retrieve a relation'),
      call: ({ parameters }, caller) => relationOf(parameters.id, caller),
      reply: oneRelation,
    }),
    route('PUT', '/relations/:id', {
      allow: 'dispose',
      doc: RELATION.retrieved('Replace a relation'),
      body: relationBody,
      call: ({ parameters, body }, caller) => annotations.updateRelation(toRelation(parameters.id, body), caller),
      reply: oneRelation,
    }),
    route('PATCH', '/relations/:id', {
      allow: 'dispose',
      doc: RELATION.retrieved('Change a relation'),
      body: relationBody.partial().extend({ annotations: z.array(reference('annotations')).optional() }),
      call: async ({ parameters, body }, caller) => {
        const before = await relationOf(parameters.id, caller);
        const after = {
          id: parameters.id,
          type: body.type ?? before.type,
          key: body.key === undefined ? before.key : (body.key ?? undefined),
          parentId: body.parent === undefined ? before.parentId : (body.parent ?? undefined),
          annotationIds: body.annotations ?? before.annotationIds,
        };
        return annotations.updateRelation(after, caller);
      },
      reply: oneRelation,
    }),
    route('DELETE', '/relations/:id', {
      allow: 'dispose',
      doc: { summary: 'Delete a relation' },
      call: ({ parameters }, caller) => annotations.deleteRelation({ id: parameters.id }, caller),
      reply: 204,
    }),

    listRoute('/automation_blockers', {
      allow: 'readAnnotations',
      doc: BLOCKER.listed('List: automation blocker'),
      filters: { id: ids, annotation: ids },
      orderings: [],
      fetch: async ({ filters, page, pageSize }, caller) => {
        const request = { ids: filters.id, annotationIds: filters.annotation, page, pageSize };
        const { blockers, total } = await annotations.listAutomationBlockers(request, caller);
        return { rows: blockers, total };
      },
      toJson: blockerToJson,
    }),
    route('GET', '/automation_blockers/:id', {
      allow: 'readAnnotations',
      doc: BLOCKER.retrieved('Retrieve an automation blocker'),
      call: async ({ parameters }, caller) => {
        const request = { ids: [parameters.id], annotationIds: [], page: 1, pageSize: 1 };
        return onlyOne((await annotations.listAutomationBlockers(request, caller)).blockers);
      },
      reply: (row, request) => replyOne(request, blockerToJson(row, request.urls)),
    }),
  ];
}
