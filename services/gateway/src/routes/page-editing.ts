import { annotation as contract } from '@intake/contracts';
import {
  answers,
  boolean,
  formatDuration,
  integer,
  listOf,
  metadata,
  object,
  reference,
  string,
} from '@intake/resources';
import { z } from 'zod';
import { answersObject } from '../openapi/named-schema';
import { processingDuration, toDuration } from '../request/duration';
import { type ApiRequest, route } from '../route';
import type { RouteContext } from './index';

/** Cutting a large PDF takes its time. */
const EDIT_MS = 130_000;
/** Documents that one call makes. */
const MOST_PARTS = 500;

/** The parts that were made. */
const PARTS = {
  answer: { type: 'object', properties: { results: listOf(answers.object) }, required: ['results'] },
};

const page = z.object({
  page: reference('pages'),
  rotation_deg: integer()
    .refine((degrees) => degrees % 90 === 0, 'Ensure this value is a multiple of 90.')
    .nullish(),
  deleted: boolean.nullish(),
});
type Page = z.infer<typeof page>;
const pages = z.array(page).min(1, 'Give at least one page.').max(1000);

const splitBody = z.object({
  processing_duration: processingDuration.nullish(),
  documents: z
    .array(
      z.object({
        pages,
        metadata: z.object({ document: metadata.nullish(), annotation: metadata.nullish() }).nullish(),
      }),
    )
    .min(1, 'Give at least one document.')
    .max(MOST_PARTS),
});

const values = z.record(z.string(), z.coerce.string()).nullish();
const inPlaceBody = z.object({
  processing_duration: processingDuration.nullish(),
  parent_pages: pages,
  target_queue: reference('queues').nullish(),
  document_name: string(255).nullish(),
  metadata: metadata.nullish(),
  values,
});
const editPagesBody = z.object({
  processing_duration: processingDuration.nullish(),
  delete: z.array(reference('annotations')).nullish(),
  move: z.array(z.object({ annotation: reference('annotations'), target_queue: reference('queues') })).nullish(),
  edit: z
    .array(inPlaceBody.omit({ processing_duration: true }).extend({ annotation: reference('annotations').nullish() }))
    .max(MOST_PARTS)
    .nullish(),
  stop_reviewing: z.array(reference('annotations')).nullish(),
  stop_parent: boolean.nullish(),
  edit_data_source: z.enum(['automation', 'suggest', 'modified_suggest', 'manual']).nullish(),
});

/** Splitting documents and editing their pages. API: annotations.md section 8. */
export function pageEditingRoutes({ services }: RouteContext) {
  const { annotation: annotations } = services;

  const toPages = (list: readonly Page[]): contract.EditedPage[] =>
    list.map(({ page: pageId, rotation_deg, deleted }) => ({
      pageId,
      rotationDeg: (((rotation_deg ?? 0) % 360) + 360) % 360,
      deleted: deleted ?? false,
    }));
  const toPart = (part: z.infer<NonNullable<typeof inPlaceBody>>, annotationId?: number | null) =>
    contract.EditedPart.fromPartial({
      pages: toPages(part.parent_pages),
      annotationId: annotationId ?? undefined,
      targetQueueId: part.target_queue ?? undefined,
      fileName: part.document_name ?? '',
      annotationMetadata: part.metadata ?? undefined,
      values: onlyEdits(part.values ?? {}),
    });
  const reply = ({ parts }: contract.EditPagesResponse, { urls }: ApiRequest) => ({
    results: parts.map(({ annotationId, documentId }) => ({
      document: urls.document(documentId),
      annotation: urls.annotation(annotationId),
    })),
  });

  const splitting = (path: '/annotations/:id/split' | '/annotations/:id/edit', mayBeInPlace: boolean) =>
    route('POST', path, {
      allow: 'dispose',
      timeoutMs: EDIT_MS,
      body: splitBody,
      doc: {
        summary: mayBeInPlace
          ? 'One document: the annotation is read anew from these pages. Several: it is split.'
          : 'Makes new annotations of pages.',
        ...PARTS,
      },
      call: ({ parameters, body }, caller) =>
        annotations.editPages(
          contract.EditPagesRequest.fromPartial({
            id: parameters.id,
            inPlace: mayBeInPlace && body.documents.length === 1,
            parts: body.documents.map((document) => ({
              pages: toPages(document.pages),
              documentMetadata: document.metadata?.document ?? undefined,
              annotationMetadata: document.metadata?.annotation ?? undefined,
            })),
            processingDuration: toDuration(body.processing_duration),
            field: 'documents',
          }),
          caller,
          { timeoutMs: EDIT_MS },
        ),
      reply,
    });

  return [
    splitting('/annotations/:id/split', false),
    splitting('/annotations/:id/edit', true),
    route('POST', '/annotations/:id/edit_pages', {
      allow: 'dispose',
      timeoutMs: EDIT_MS,
      body: editPagesBody,
      doc: { summary: 'Makes, changes, moves and deletes the parts of a document.', ...PARTS },
      call: ({ parameters, body }, caller) =>
        annotations.editPages(
          contract.EditPagesRequest.fromPartial({
            id: parameters.id,
            parts: (body.edit ?? []).map((part) => toPart(part, part.annotation)),
            deleteIds: body.delete ?? [],
            moves: (body.move ?? []).map(({ annotation: annotationId, target_queue: targetQueueId }) => ({
              annotationId,
              targetQueueId,
            })),
            stopIds: body.stop_reviewing ?? [],
            stopParent: body.stop_parent ?? true,
            processingDuration: toDuration(body.processing_duration),
            field: 'edit',
          }),
          caller,
          { timeoutMs: EDIT_MS },
        ),
      reply,
    }),
    route('POST', '/annotations/:id/edit_pages/in_place', {
      allow: 'dispose',
      timeoutMs: EDIT_MS,
      body: inPlaceBody,
      doc: { summary: 'Reads the annotation anew from these pages.', ...PARTS },
      call: ({ parameters, body }, caller) =>
        annotations.editPages(
          contract.EditPagesRequest.fromPartial({
            id: parameters.id,
            inPlace: true,
            parts: [toPart(body)],
            processingDuration: toDuration(body.processing_duration),
            field: 'parent_pages',
          }),
          caller,
          { timeoutMs: EDIT_MS },
        ),
      reply,
    }),
    route('POST', '/annotations/:id/edit_pages/start', {
      allow: 'dispose',
      body: object,
      doc: answersObject('Begins the review of a document and of the parts that were made of it.', {
        parent_annotation: answers.uri,
        children: listOf(answers.object),
        session_timeout: answers.string,
      }),
      call: ({ parameters }, caller) => annotations.startEditPages({ id: parameters.id }, caller),
      reply: ({ children, sessionTimeoutS }, { urls, parameters }) => ({
        parent_annotation: urls.annotation(parameters.id),
        children: children.map(({ annotation, started, fileName, pages: parentPages, values: given }) => ({
          url: urls.annotation(annotation?.id ?? 0),
          queue: urls.queue(annotation?.queueId ?? 0),
          status: annotation?.status,
          started,
          original_file_name: fileName,
          parent_pages: parentPages.map(({ pageId, rotationDeg, deleted }) => ({
            page: urls.page(pageId),
            rotation_deg: rotationDeg,
            deleted,
          })),
          values: onlyEdits(given),
        })),
        session_timeout: formatDuration(sessionTimeoutS),
      }),
    }),
    route('POST', '/annotations/:id/edit_pages/cancel', {
      allow: 'dispose',
      body: z.object({
        annotations: z.array(reference('annotations')).nullish(),
        cancel_parent: boolean.nullish(),
        processing_duration: processingDuration.nullish(),
      }),
      doc: { summary: 'Ends these reviews.' },
      call: ({ parameters, body }, caller) =>
        annotations.cancelEditPages(
          {
            id: parameters.id,
            annotationIds: body.annotations ?? [],
            cancelParent: body.cancel_parent ?? true,
            processingDuration: toDuration(body.processing_duration),
          },
          caller,
        ),
      reply: 204,
    }),
  ];
}

/** Values that editing pages sets: their keys begin with `edit:`. */
function onlyEdits(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([key]) => key.startsWith('edit:')));
}
