import type { QueryClient } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { ApiError, call } from '../api/client';
import { untilAllLeft } from '../api/leaving';
import { type AnnotationPage, queries } from '../api/queries';
import { isPlain, wantedAt } from './list-address';

/** The list that a document was opened from, as far as it was read. It stays with the entry in the history of the browser. */
export interface OpenedFrom {
  /** Its address: `/queues/1?show=waiting&page=2`. */
  readonly list: string;
  /** What it held, in its order: documents leave it while they are reviewed. */
  readonly ids: readonly number[];
  /** Pages that were read, beginning with the one that was seen. */
  readonly firstPage: number;
  readonly lastPage: number;
}

/** Documents that are asked for at once. */
const MOST_IDS = 100;

export function useOpenedFrom(): OpenedFrom | null {
  const { state } = useLocation();
  return typeof state?.list === 'string' && wantedAt(state.list) ? state : null;
}

/** The document beside one in its list, and the list with it; null: there is none. Throws ApiError. */
export async function besideInList(
  client: QueryClient,
  from: OpenedFrom,
  annotationId: number,
  step: 1 | -1,
): Promise<{ readonly id: number; readonly from: OpenedFrom } | null> {
  const find = ({ ids }: OpenedFrom) => ids[ids.indexOf(annotationId) + step];
  const known = find(from);
  if (known !== undefined) return { id: known, from };
  const more = await readOn(client, from, step);
  const found = more ? find(more) : undefined;
  return more && found !== undefined ? { id: found, from: more } : null;
}

/** Reads the next page of the list, or the one before; null: there is none. */
async function readOn(client: QueryClient, from: OpenedFrom, step: 1 | -1): Promise<OpenedFrom | null> {
  const wanted = wantedAt(from.list);
  const known = new Set(from.ids);
  // Of the page itself there may be more: documents that have left it made room.
  for (let page = step === 1 ? from.lastPage : from.firstPage; wanted && page > 0; page += step) {
    const ids = await client
      .fetchQuery({ ...queries.annotations({ ...wanted, page }), staleTime: 0 })
      .then(({ results }) => results.map(({ id }) => id))
      .catch((error) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      });
    if (!ids) return null;
    const isKnown = (id: number) => known.has(id);
    const first = ids.findIndex(isKnown);
    if (step === 1) {
      const after = ids.slice(ids.findLastIndex(isKnown) + 1);
      if (after.length > 0) return { ...from, ids: [...from.ids, ...after], lastPage: page };
    } else {
      const before = first >= 0 ? ids.slice(0, first) : page < from.firstPage ? ids : [];
      if (before.length > 0) return { ...from, ids: [...before, ...from.ids], firstPage: page };
    }
  }
  return null;
}

/** Whether the next document is to come from the list: it shows something else than what waits in a queue. */
export const goesOn = (from: OpenedFrom | null): from is OpenedFrom => from !== null && !isPlain(from.list);

/** The documents behind one in its list that wait for review, the first of them first; with nothing to look at any more: null. */
export async function waitingInList(
  client: QueryClient,
  from: OpenedFrom,
  annotationId: number,
): Promise<{ readonly page: AnnotationPage; readonly from: OpenedFrom } | null> {
  const { statuses = [] } = wantedAt(from.list) ?? {};
  const status = ['to_review', 'postponed'].find((one) => statuses.includes(one));
  if (!status) return null;
  // What was looked at a moment ago waits again.
  await untilAllLeft();
  let now: OpenedFrom | null = from;
  for (let at = from.ids.indexOf(annotationId) + 1; now; ) {
    const some: readonly number[] = now.ids.slice(at, at + MOST_IDS);
    at += some.length;
    if (some.length === 0) {
      now = await readOn(client, now, 1);
      continue;
    }
    const query = `id=${some.join(',')}&status=${status}&page_size=${MOST_IDS}&sideload=documents`;
    const page = await call<AnnotationPage>(`/annotations?${query}`);
    const results = page.results.toSorted((a, b) => some.indexOf(a.id) - some.indexOf(b.id));
    if (results.length > 0) return { page: { ...page, results }, from: now };
  }
  return null;
}

/** Starts the next document of the list that waits and that nobody has; null: there is none. Throws ApiError. */
export async function startNextInList(
  client: QueryClient,
  from: OpenedFrom,
  annotationId: number,
): Promise<{ readonly id: number; readonly from: OpenedFrom } | null> {
  let last = annotationId;
  for (let now = from; ; ) {
    const found = await waitingInList(client, now, last);
    if (!found) return null;
    now = found.from;
    for (const { id, status } of found.page.results) {
      last = id;
      try {
        await call(`/annotations/${id}/start`, { method: 'POST', body: { statuses: [status] } });
        return { id, from: now };
      } catch (error) {
        // Somebody else was faster.
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
      }
    }
  }
}
