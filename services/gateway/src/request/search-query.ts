import { ANNOTATION_STATUSES } from '@intake/bus';
import type { auth, mailIngest, queue } from '@intake/contracts';
import { invalidField } from '@intake/rpc';
import { type Collection, idFromUrl } from '@intake/urls';
import { parseTime } from './query';

/** A condition of a search query. */
export interface SearchCondition {
  readonly name: string;
  readonly operator: string;
  /** Ids where URLs were given; times and days as ISO 8601 text. */
  readonly value: unknown;
}

type Kind = Collection | 'user' | 'time' | 'flag' | 'text' | 'status' | 'username' | 'string' | 'number' | 'date';

const PEOPLE = ['confirmed_by', 'creator', 'deleted_by', 'exported_by', 'modifier', 'purged_by', 'rejected_by'];

/** API: annotations.md section 9. */
const NAMES: Readonly<Record<string, Kind>> = {
  annotation: 'annotations',
  document: 'documents',
  queue: 'queues',
  workspace: 'workspaces',
  labels: 'labels',
  assignees: 'users',
  relations__parent: 'annotations',
  relations__key: 'text',
  relations__type: 'text',
  arrived_at: 'time',
  assigned_at: 'time',
  confirmed_at: 'time',
  created_at: 'time',
  deleted_at: 'time',
  exported_at: 'time',
  modified_at: 'time',
  purged_at: 'time',
  rejected_at: 'time',
  automated: 'flag',
  automatically_rejected: 'flag',
  einvoice: 'flag',
  has_email_thread_with_new_replies: 'flag',
  has_email_thread_with_replies: 'flag',
  restricted_access: 'flag',
  email_sender: 'text',
  email_thread: 'email_threads',
  messages: 'text',
  original_file_name: 'text',
  rir_poll_id: 'text',
  status: 'status',
  ...Object.fromEntries(PEOPLE.map((name) => [name, 'users' as const])),
  ...Object.fromEntries(PEOPLE.map((name) => [`${name}__username`, 'username' as const])),
};

const EQUALITY = ['$eq', '$ne', '$in', '$nin', '$emptyOrMissing'];
const ORDER = ['$gt', '$lt', '$gte', '$lte'];
const PREFIXES = ['$startsWith', '$anyTokenStartsWith', '$containsPrefixes'];
const OPERATORS = [...EQUALITY, ...ORDER, ...PREFIXES];

/** No annotation has these yet. */
const NEVER = ['restricted_access'];

const MAX_CONDITIONS = 100;
const MAX_VALUES = 1000;
const MAX_TEXT = 256;

/** Reads the `query` of a search: `{"$and": [{<name>: {<operator>: <value>}}, ...]}`. Throws INVALID with `query`. */
export function readSearchQuery(query: unknown): SearchCondition[] {
  const { $and: list, ...others } = asObject(query);
  if (!Array.isArray(list) || Object.keys(others).length > 0) {
    throw wrong('Expected {"$and": [...]} with a list of conditions.');
  }
  const conditions = list.flatMap((one) =>
    Object.entries(asObject(one)).flatMap(([name, operations]) => readConditions(name, asObject(operations))),
  );
  if (conditions.length > MAX_CONDITIONS) throw wrong(`Ensure there are no more than ${MAX_CONDITIONS} conditions.`);
  return conditions;
}

/** A range is one condition: in a table, one row must lie in it. */
function readConditions(name: string, operations: Readonly<Record<string, unknown>>): SearchCondition[] {
  const conditions = Object.entries(operations).map(([operator, value]) => readCondition(name, operator, value));
  if (conditions.length === 0) throw wrong(`"${name}" needs an operator.`);
  const limits = conditions.filter(({ operator }) => ORDER.includes(operator));
  if (!name.startsWith('field.') || limits.length < 2) return conditions;
  const range = Object.fromEntries(limits.map(({ operator, value }) => [operator, value]));
  return [...conditions.filter((one) => !limits.includes(one)), { name, operator: '$range', value: range }];
}

function readCondition(name: string, operator: string, value: unknown): SearchCondition {
  const kind = kindOf(name);
  if (!OPERATORS.includes(operator) || !operatorsOf(kind).includes(operator)) {
    throw wrong(`The operator "${operator}" is not available for "${name}".`);
  }
  const problem = (expected: string) => wrong(`The value of "${name}" with "${operator}" must be ${expected}.`);
  if (operator === '$emptyOrMissing') {
    if (typeof value !== 'boolean') throw problem('true or false');
    return { name, operator, value };
  }
  if (operator === '$in' || operator === '$nin') {
    if (!Array.isArray(value) || value.length > MAX_VALUES) throw problem(`a list of at most ${MAX_VALUES} values`);
    return { name, operator, value: value.map((one) => readValue(kind, one, problem)) };
  }
  return { name, operator, value: readValue(kind, value, problem) };
}

function kindOf(name: string): Kind {
  const [, id, type] = /^field\.(.+)\.(string|number|date)$/.exec(name) ?? [];
  if (id !== undefined && id.length <= 50) return type as Kind;
  const kind = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (!kind) throw wrong(`There is no "${name}" to search by.`);
  return kind;
}

function operatorsOf(kind: Kind): readonly string[] {
  switch (kind) {
    case 'text':
    case 'string':
    case 'username':
      return OPERATORS;
    case 'time':
    case 'date':
    case 'number':
      return [...EQUALITY, ...ORDER];
    default:
      return EQUALITY;
  }
}

function readValue(kind: Kind, value: unknown, problem: (expected: string) => Error): unknown {
  switch (kind) {
    case 'text':
    case 'string':
    case 'username':
      if (typeof value !== 'string' || [...value].length > MAX_TEXT)
        throw problem(`a text of at most ${MAX_TEXT} characters`);
      return value;
    case 'status':
      if (!(ANNOTATION_STATUSES as readonly unknown[]).includes(value)) throw problem('a status');
      return value;
    case 'flag':
      if (typeof value !== 'boolean') throw problem('true or false');
      return value;
    case 'number': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isFinite(number)) throw problem('a number');
      return number;
    }
    case 'time':
    case 'date': {
      const time = typeof value === 'string' ? parseTime(value) : null;
      if (!time) throw problem('a date or a date-time in ISO 8601');
      return time.toISOString();
    }
    default: {
      const id = idFromUrl(kind as Collection, value);
      if (id === null) throw problem(`a URL of ${kind}`);
      return id;
    }
  }
}

/** What the conditions refer to beside annotations. */
export interface Resolvers {
  readonly allUsers: () => Promise<readonly Pick<auth.User, 'id' | 'username'>[]>;
  readonly allWorkspaces: () => Promise<readonly Pick<queue.Workspace, 'id' | 'queueIds'>[]>;
  readonly findAnnotated: (
    which: Partial<mailIngest.FindAnnotatedRequest>,
  ) => Promise<mailIngest.FindAnnotatedResponse>;
}

/** What a query comes to once names are ids. */
export interface ResolvedQuery {
  readonly conditions: readonly SearchCondition[];
  /** Relations that the annotations belong to. */
  readonly relations: { readonly parentIds: number[]; readonly types: string[]; readonly keys: string[] };
  /** Nothing can match. */
  readonly isEmpty: boolean;
}

/** Replaces names of users, workspaces and relations by what the annotations themselves know. */
export async function resolveQuery(
  given: readonly SearchCondition[],
  { allUsers, allWorkspaces, findAnnotated }: Resolvers,
): Promise<ResolvedQuery> {
  const conditions: SearchCondition[] = [];
  const mailCondition = async (which: Partial<mailIngest.FindAnnotatedRequest>, isMeant: boolean) => ({
    name: 'mail',
    operator: isMeant ? '$in' : '$nin',
    value: await findAnnotated(which),
  });
  const relations = { parentIds: [] as number[], types: [] as string[], keys: [] as string[] };
  let isEmpty = false;
  for (const condition of given) {
    const { name, operator, value } = condition;
    if (NEVER.includes(name)) {
      isEmpty ||= !isTrueOf(operator, value);
    } else if (name.startsWith('has_email_thread_')) {
      const flag = name.endsWith('_new_replies') ? 'hasNewReplies' : 'hasReplies';
      const wanted = [true, false].filter((one) => isTrueOf(operator, value, one));
      if (wanted.length === 0) isEmpty = true;
      if (wanted.length === 1) conditions.push(await mailCondition({ [flag]: true }, wanted[0] === true));
    } else if (name === 'email_thread') {
      // Without a thread: what is in none.
      const isMeant = operator === '$eq' || operator === '$in' || value === false;
      const threadIds = operator === '$emptyOrMissing' ? [] : ([value].flat() as number[]);
      if (threadIds.length > 0 || operator === '$emptyOrMissing') {
        conditions.push(await mailCondition({ threadIds }, isMeant));
      } else isEmpty ||= isMeant;
    } else if (name === 'email_sender') {
      if (operator === '$emptyOrMissing') conditions.push({ name: 'email', operator, value });
      else if ([value].flat().length === 0) isEmpty ||= operator === '$in';
      else {
        const isNot = operator === '$ne' || operator === '$nin';
        conditions.push(await mailCondition(sendersOf(operator, value), !isNot));
      }
    } else if (name.startsWith('relations__')) {
      const key = ({ parent: 'parentIds', type: 'types', key: 'keys' } as const)[name.slice('relations__'.length)];
      if (!key || !['$eq', '$in'].includes(operator) || relations[key].length > 0) {
        throw wrong(`"${name}" is available once, with "$eq" or "$in".`);
      }
      const values = [value].flat();
      isEmpty ||= values.length === 0;
      relations[key].push(...(values as never[]));
    } else if (name === 'workspace') {
      const workspaces = await allWorkspaces();
      const isMeant = (id: number) => [value].flat().includes(id);
      const inWorkspaces = workspaces.filter(({ id }) => isMeant(id)).flatMap(({ queueIds }) => queueIds);
      if (operator === '$emptyOrMissing') {
        const all = workspaces.flatMap(({ queueIds }) => queueIds);
        conditions.push({ name: 'queue', operator: value === true ? '$nin' : '$in', value: all });
      } else {
        const isNot = operator === '$ne' || operator === '$nin';
        conditions.push({ name: 'queue', operator: isNot ? '$nin' : '$in', value: inWorkspaces });
      }
    } else if (name.endsWith('__username')) {
      const person = name.slice(0, -'__username'.length);
      if (operator === '$emptyOrMissing') {
        conditions.push({ name: person, operator, value });
      } else {
        const isNot = operator === '$ne' || operator === '$nin';
        const matching = (await allUsers()).filter(({ username }) => matches(username, operator, value));
        conditions.push({ name: person, operator: isNot ? '$nin' : '$in', value: matching.map(({ id }) => id) });
      }
    } else {
      conditions.push(condition);
    }
  }
  return { conditions, relations, isEmpty };
}

/** Which e-mails senders are looked for in. */
function sendersOf(operator: string, value: unknown): Partial<mailIngest.FindAnnotatedRequest> {
  const text = String(value);
  switch (operator) {
    case '$startsWith':
      return { senderPrefix: text };
    case '$anyTokenStartsWith':
      return { senderWords: [text] };
    case '$containsPrefixes':
      return { senderWords: text.split(/\s+/).filter((word) => word !== '') };
    case '$eq':
    case '$ne':
    case '$in':
    case '$nin':
      return { senders: [value].flat().map(String) };
    default:
      throw wrong(`The operator "${operator}" is not available for "email_sender".`);
  }
}

/** Whether a condition on a flag holds of this value. */
function isTrueOf(operator: string, value: unknown, flag = false): boolean {
  switch (operator) {
    case '$eq':
      return value === flag;
    case '$ne':
      return value !== flag;
    case '$in':
      return (value as unknown[]).includes(flag);
    case '$nin':
      return !(value as unknown[]).includes(flag);
    default:
      return value === false;
  }
}

/** Whether a user name is meant; of `$ne` and `$nin`: whether it is among those that are not. */
function matches(username: string, operator: string, value: unknown): boolean {
  const text = String(value).toLowerCase();
  const words = username.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const hasWord = (term: string) => words.some((word) => word.startsWith(term));
  switch (operator) {
    case '$gt':
      return username > String(value);
    case '$gte':
      return username >= String(value);
    case '$lt':
      return username < String(value);
    case '$lte':
      return username <= String(value);
    case '$startsWith':
      return username.toLowerCase().startsWith(text);
    case '$anyTokenStartsWith':
      return hasWord(text);
    case '$containsPrefixes':
      return text.split(/\s+/).every(hasWord);
    default:
      return [value].flat().includes(username);
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong('Expected a dictionary of items.');
}

function wrong(message: string): Error {
  return invalidField('query', message);
}
