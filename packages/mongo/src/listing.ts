/** One page of a list. API: README.md section 6. */
export interface PageRequest {
  /** From 1; 0 means 1. */
  readonly page: number;
  /** 0 means 20. */
  readonly pageSize: number;
}

/** `skip` and `limit` of a page. */
export function toWindow({ page, pageSize }: PageRequest): { skip: number; limit: number } {
  const limit = pageSize > 0 ? pageSize : 20;
  return { skip: (Math.max(page, 1) - 1) * limit, limit };
}

/**
 * A MongoDB sort from the API's `ordering` keys (`-` in front: descending). Keys that are not in `allowed` (API key ->
 * stored field) are ignored; the id is always the last tie-breaker.
 */
export function toSort(ordering: readonly string[], allowed: Readonly<Record<string, string>>): Record<string, 1 | -1> {
  const sort: Record<string, 1 | -1> = {};
  for (const key of ordering) {
    const descending = key.startsWith('-');
    const name = descending ? key.slice(1) : key;
    const field = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (field && !(field in sort)) sort[field] = descending ? -1 : 1;
  }
  if (!('_id' in sort)) sort._id = 1;
  return sort;
}

/** A condition on one field, or on the members of a list; no values, no condition. */
export function among(field: string, values: readonly (number | string)[]): Record<string, unknown> {
  return values.length > 0 ? { [field]: { $in: [...values] } } : {};
}

/** A condition: the queue is one of those that a caller sees, none of them at all for an empty list. */
export function inQueues(queueIds: readonly number[] | 'all', field = 'queueId'): Record<string, unknown> {
  return queueIds === 'all' ? {} : { [field]: { $in: [...queueIds] } };
}
