import type { Wanted } from '../api/queries';

/** Names of groups of states in the address of the page. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  waiting: ['to_review', 'reviewing', 'postponed', 'importing'],
  done: ['confirmed', 'exporting', 'exported'],
  problems: ['failed_import', 'failed_export', 'rejected'],
};
export const SINGLE = [
  'importing',
  'to_review',
  'reviewing',
  'postponed',
  'confirmed',
  'exporting',
  'exported',
  'rejected',
  'failed_import',
  'failed_export',
  'split',
  'deleted',
];
export const ALL_SHOWN = SINGLE.filter((status) => status !== 'deleted');

/** Documents on a page. */
export const PAGE_SIZES = [25, 50, 100] as const;

const PLACE = /^\/(?:queues\/(\d+)|documents)$/;

/** Where the list of a queue is, or that of all queues (null). */
export const listPlace = (queueId: number | null): string => (queueId === null ? '/documents' : `/queues/${queueId}`);

/** What the list at an address shows. */
export function wantedOf(queueId: number | null, query: URLSearchParams): Wanted {
  const show = query.get('show') ?? 'all';
  const size = Number(query.get('size'));
  return {
    queueId,
    statuses: GROUPS[show] ?? (SINGLE.includes(show) ? [show] : ALL_SHOWN),
    search: query.get('search') ?? '',
    label: /^\d+$/.test(query.get('label') ?? '') ? (query.get('label') ?? '') : '',
    arrivedAfter: midnight(query.get('from'), 0),
    arrivedBefore: midnight(query.get('to'), 1),
    ordering: query.get('ordering') ?? '-arrived_at',
    page: Number(query.get('page')) || 1,
    pageSize: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZES[0],
  };
}

/** The same of a whole address, as it is kept with a document that was opened from the list: `/queues/1?show=waiting`. */
export function wantedAt(address: string): Wanted | null {
  const [path = '', search = ''] = address.split('?');
  const place = PLACE.exec(path);
  return place && wantedOf(place[1] === undefined ? null : Number(place[1]), new URLSearchParams(search));
}

/** Whether a list shows what waits in a queue, whatever else it shows, as it is shown at first. */
export function isPlain(address: string): boolean {
  const [path = '', search = ''] = address.split('?');
  const query = new URLSearchParams(search);
  const isOwn = ['search', 'label', 'from', 'to', 'ordering'].some((name) => query.has(name));
  return path !== listPlace(null) && !isOwn && ['all', 'waiting', 'to_review'].includes(query.get('show') ?? 'all');
}

/** The beginning of a day here, or of one after it, as the API takes it; empty for what is no day. */
function midnight(day: string | null, later: number): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '')?.map(Number) ?? [];
  if (!year || !month || !date) return '';
  return new Date(year, month - 1, date + later).toISOString();
}
