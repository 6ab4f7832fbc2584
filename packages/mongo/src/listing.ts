import type { Model } from 'mongoose';

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

/** What a list can be ordered by: API key -> stored field, with a word about those that may be null, missing, or an empty list or text. */
export type Orderings = Readonly<Record<string, string | { readonly mayBeEmpty: string }>>;

/** How rows are ordered in MongoDB. */
interface Order {
  readonly sort: Record<string, 1 | -1>;
  /** Values that are computed for it. */
  readonly computed: Record<string, unknown>;
}

/**
 * The order that the keys of the API's `ordering` ask for (`-` in front: descending). Keys that are not in `allowed` are ignored; what is empty
 * is last in both directions, as in lists of annotations; the id is always the last tie-breaker.
 */
export function toOrder(ordering: readonly string[], allowed: Orderings): Order {
  const sort: Record<string, 1 | -1> = {};
  const computed: Record<string, unknown> = {};
  for (const key of ordering) {
    const descending = key.startsWith('-');
    const name = descending ? key.slice(1) : key;
    const known = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (known === undefined) continue;
    const field = typeof known === 'string' ? known : known.mayBeEmpty;
    if (field in sort) continue;
    // MongoDB takes what is empty for the smallest.
    if (field !== known && !descending) {
      const empty = `empty${Object.keys(computed).length}`;
      computed[empty] = { $in: [{ $ifNull: [`$${field}`, null] }, [null, [], '']] };
      sort[empty] = 1;
    }
    sort[field] = descending ? -1 : 1;
  }
  if (!('_id' in sort)) sort._id = 1;
  return { sort, computed };
}

/** Another object that rows are ordered by: its fields are `<as>.<field>`. */
export interface RelatedRows {
  readonly as: string;
  readonly from: string;
  readonly localField: string;
}

/** A page of the rows that match, in order. */
export function findPage<Row>(
  // biome-ignore lint/suspicious/noExplicitAny: rows of any model
  model: Pick<Model<any>, 'find' | 'aggregate'>,
  where: Record<string, unknown>,
  { sort, computed }: Order,
  page: PageRequest,
  related?: RelatedRows,
): Promise<Row[]> {
  const { skip, limit } = toWindow(page);
  const lookup = related && Object.keys(sort).some((key) => key.startsWith(`${related.as}.`)) ? related : undefined;
  const added = [...Object.keys(computed), ...(lookup ? [lookup.as] : [])];
  if (added.length === 0) return model.find(where).sort(sort).skip(skip).limit(limit).lean<Row[]>().exec();
  return model
    .aggregate<Row>([
      { $match: where },
      ...(lookup ? [{ $lookup: { ...lookup, foreignField: '_id' } }] : []),
      { $addFields: computed },
      { $sort: sort },
      { $skip: skip },
      { $limit: limit },
      { $unset: added },
    ])
    .exec();
}

/** A condition on one field, or on the members of a list; no values, no condition. */
export function among(field: string, values: readonly (number | string)[]): Record<string, unknown> {
  return values.length > 0 ? { [field]: { $in: [...values] } } : {};
}

/** A condition: the queue is one of those that a caller sees, none of them at all for an empty list. */
export function inQueues(queueIds: readonly number[] | 'all', field = 'queueId'): Record<string, unknown> {
  return queueIds === 'all' ? {} : { [field]: { $in: [...queueIds] } };
}
