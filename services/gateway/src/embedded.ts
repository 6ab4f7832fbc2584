import { type Caller, Refusal } from '@intake/rpc';
import type { ApiRequest, Route } from './route';
import type { RouteContext } from './routes';

/** What is done with the annotation itself, below `/annotations/:id`. What makes or names others is not among it. */
const ACTIONS = [
  ...['content', 'page_data', 'search', 'history', 'processing_duration'],
  ...['start', 'cancel', 'confirm', 'postpone', 'delete', 'reject'],
];

/** Refuses what a token for one annotation is not for. */
export type EmbeddedGuard = (row: Route, request: ApiRequest, caller: Caller) => Promise<void>;

/** A token for one annotation (API: annotations.md section 5) reads and edits that one, and reads what it consists of. */
export function createEmbeddedGuard({ services }: Pick<RouteContext, 'services'>): EmbeddedGuard {
  return async (row, request, caller) => {
    const { annotationId } = caller;
    if (annotationId === undefined) return;
    if (isOfAnnotation(row, request, annotationId)) return;
    const found =
      row.method === 'GET' ? await services.annotation.getAnnotations({ ids: [annotationId] }, caller) : null;
    const [annotation] = found?.annotations ?? [];
    const { id } = request.parameters as { readonly id?: number };
    const parts: Readonly<Record<string, readonly (number | undefined)[]>> = {
      pages: annotation?.pageIds ?? [],
      documents: [annotation?.documentId],
      queues: [annotation?.queueId],
      schemas: [annotation?.schemaId],
      automation_blockers: [annotation?.automationBlockerId],
    };
    const [, kind = '', parameter, what] = row.path.split('/');
    const isPart = parameter === ':id' && id !== undefined && Object.hasOwn(parts, kind) && parts[kind]?.includes(id);
    // Of a queue and a schema alone the object itself: below it are other documents.
    if (isPart && (what === undefined || kind === 'pages' || kind === 'documents')) return;
    throw new Refusal('PERMISSION_DENIED', { detail: 'This token is for one document alone.' });
  };
}

function isOfAnnotation({ method, path }: Route, request: ApiRequest, annotationId: number): boolean {
  if (path === '/auth/user') return method === 'GET';
  if (path === '/auth/logout') return true;
  // All values that are given: one more would be another annotation.
  if (path === '/pages') return method === 'GET' && request.query.list('annotation').join() === String(annotationId);
  const { id } = request.parameters as { readonly id?: number };
  const [, kind, parameter, action] = path.split('/');
  if (kind !== 'annotations' || parameter !== ':id' || id !== annotationId) return false;
  if (action !== undefined) return ACTIONS.includes(action);
  const changes = Object.keys((request.body ?? {}) as object);
  return method === 'GET' || (method === 'PATCH' && changes.every((key) => key === 'metadata'));
}
