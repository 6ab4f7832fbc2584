import { escapePattern } from '@intake/mongo';
import { prefixPattern, termsOf } from './words';

/** One condition of a search query, its references resolved to ids. API: annotations.md section 9. */
export interface Condition {
  /** A name of the table, or `field.<schema id>.<string|number|date>`. */
  readonly name: string;
  /** One of the API, or, on a field, `$range`: `{"$gt": ..., "$lte": ...}` of one value. */
  readonly operator: string;
  /** Times and days as ISO 8601 text. */
  readonly value: unknown;
}

type Kind = 'id' | 'ids' | 'time' | 'flag' | 'text' | 'texts';
type Filter = Record<string, unknown>;

/** Names of the API -> what of an annotation they mean. */
const FIELDS: Readonly<Record<string, readonly [field: string, kind: Kind]>> = {
  annotation: ['_id', 'id'],
  document: ['documentId', 'id'],
  queue: ['queueId', 'id'],
  creator: ['creatorId', 'id'],
  modifier: ['modifierId', 'id'],
  confirmed_by: ['confirmedById', 'id'],
  deleted_by: ['deletedById', 'id'],
  exported_by: ['exportedById', 'id'],
  purged_by: ['purgedById', 'id'],
  rejected_by: ['rejectedById', 'id'],
  assignees: ['assigneeIds', 'ids'],
  labels: ['labelIds', 'ids'],
  arrived_at: ['arrivedAt', 'time'],
  assigned_at: ['assignedAt', 'time'],
  confirmed_at: ['confirmedAt', 'time'],
  created_at: ['createdAt', 'time'],
  deleted_at: ['deletedAt', 'time'],
  exported_at: ['exportedAt', 'time'],
  modified_at: ['modifiedAt', 'time'],
  purged_at: ['purgedAt', 'time'],
  rejected_at: ['rejectedAt', 'time'],
  automated: ['automated', 'flag'],
  automatically_rejected: ['automaticallyRejected', 'flag'],
  einvoice: ['einvoice', 'flag'],
  status: ['status', 'text'],
  original_file_name: ['fileName', 'text'],
  rir_poll_id: ['rirPollId', 'text'],
  messages: ['messages.content', 'texts'],
  email: ['emailId', 'id'],
};

const FIELD_TYPES: Readonly<Record<string, string>> = { string: 'text', number: 'number', date: 'date' };

/** The MongoDB condition of one of a query; null when there is no such name or operator. */
export function toCondition({ name, operator, value }: Condition): Filter | null {
  const [, id, type] = /^field\.(.+)\.(string|number|date)$/.exec(name) ?? [];
  if (id !== undefined && type !== undefined) return fieldCondition(id, type, operator, value);
  if (name === 'mail') return mailCondition(operator, value);
  const known = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (!known) return null;
  const [field, kind] = known;
  if (operator === '$emptyOrMissing') {
    const empty = kind === 'ids' || kind === 'texts' ? [null, []] : kind === 'text' ? [null, ''] : [null];
    const isEmpty = kind === 'texts' ? { messages: { $in: empty } } : { [field]: { $in: empty } };
    return value === true ? isEmpty : { $nor: [isEmpty] };
  }
  const comparison = compare(operator, kind === 'time' ? toTimes(value) : value);
  return comparison && { [field]: comparison };
}

/** What e-mails brought, and, of what no e-mail brought, what they were sent about. `value`: `{emailIds, annotationIds}`. */
function mailCondition(operator: string, value: unknown): Filter | null {
  const { emailIds, annotationIds } = value as { emailIds: number[]; annotationIds: number[] };
  const isMeant = [{ emailId: { $in: emailIds } }, { emailId: null, _id: { $in: annotationIds } }];
  return operator === '$in' ? { $or: isMeant } : operator === '$nin' ? { $nor: isMeant } : null;
}

/** What a field of the content is to be; the several values of a table count each for itself. */
function fieldCondition(id: string, type: string, operator: string, value: unknown): Filter | null {
  const key = FIELD_TYPES[type] ?? 'text';
  const has = (comparison: Filter) => ({ contentFields: { $elemMatch: { id, ...comparison } } });
  if (operator === '$emptyOrMissing') {
    const isThere = has({ [key]: { $exists: true } });
    return value === true ? { $nor: [isThere] } : isThere;
  }
  const toWanted = (given: unknown) => (type === 'date' ? toTimes(given) : given);
  if (operator === '$range') {
    const limits = Object.entries(value as Filter).map(([limit, at]) => compare(limit, toWanted(at)));
    return limits.includes(null) ? null : has({ [key]: Object.assign({}, ...limits) });
  }
  const wanted = toWanted(value);
  // None of the values may be this one.
  if (operator === '$ne') return { $nor: [has({ [key]: wanted })] };
  if (operator === '$nin') return { $nor: [has({ [key]: { $in: wanted } })] };
  if (operator === '$containsPrefixes') {
    return has({ $and: [{ [key]: { $exists: true } }, ...prefixes(value).map((one) => ({ [key]: one }))] });
  }
  const comparison = compare(operator, wanted);
  return comparison && has({ [key]: comparison });
}

function compare(operator: string, value: unknown): Filter | null {
  switch (operator) {
    case '$eq':
    case '$ne':
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
    case '$in':
    case '$nin':
      return { [operator]: value };
    case '$startsWith':
      return { $regex: prefixPattern(String(value)), $options: 'i' };
    case '$anyTokenStartsWith':
      return tokenPrefix(String(value));
    case '$containsPrefixes':
      return { $regex: lookaheads(String(value)), $options: 'i' };
    default:
      return null;
  }
}

/** A word of the text begins so. */
function tokenPrefix(text: string): Filter {
  return { $regex: `(^|[^\\p{L}\\p{N}])${escapePattern(text)}`, $options: 'i' };
}

function prefixes(value: unknown): Filter[] {
  return termsOf(String(value)).map(tokenPrefix);
}

/** Each term is the beginning of a word, in any order. */
function lookaheads(text: string): string {
  const terms = termsOf(text).map((term) => `(?=.*(^|[^\\p{L}\\p{N}])${escapePattern(term)})`);
  return `^${terms.join('')}`;
}

function toTimes(value: unknown): unknown {
  return Array.isArray(value) ? value.map(toTimes) : typeof value === 'string' ? new Date(value) : value;
}
