import type { Backbone } from '@intake/bus';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, type FieldErrors, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { found, type Modified, modifiedBy, UNMODIFIED } from '../change';
import { findMetadataProblem, findNameProblem, findUrlProblem, type JsonObject, NO_SUCH_OBJECT } from '../fields';
import type { QueueStore } from '../queue/queue.store';
import type { HookStore } from './hook.store';
import { findConfigProblem, keptConfig, mergeConfig } from './hook-config';
import { expandEvents, isEvent, SIDELOADS } from './hook-events';
import { checkBySchema, findSchemaProblems } from './hook-settings';

/** An extension that is called when something happens. API: hooks-and-connectors.md section 1. */
export interface Hook extends Modified {
  readonly id: number;
  readonly organizationId: number;
  /** `webhook`, `function` or `job`; only webhooks are called. */
  readonly type: string;
  readonly name: string;
  readonly runAfterIds: readonly number[];
  readonly active: boolean;
  /** `event.action`. */
  readonly events: readonly string[];
  readonly sideload: readonly string[];
  /** Of a webhook: every known key. */
  readonly config: JsonObject;
  readonly test: JsonObject;
  readonly settings: JsonObject;
  readonly settingsSchema: JsonObject | null;
  readonly secrets: JsonObject;
  readonly secretsSchema: JsonObject;
  readonly tokenOwnerId: number | null;
  readonly tokenLifetimeS: number | null;
  readonly description: string | null;
  readonly extensionSource: string;
  readonly guide: string | null;
  readonly readMoreUrl: string | null;
  readonly extensionImageUrl: string | null;
  readonly hookTemplate: string | null;
  readonly metadata: JsonObject;
  readonly createdById: number | null;
  readonly createdAt: Date;
}

/** What admins write of a hook; its queues are kept with the queues. */
export type HookInput = Omit<Hook, 'id' | 'organizationId' | 'createdById' | 'createdAt' | keyof Modified> & {
  readonly queueIds: readonly number[];
};

/** What each field is when it is emptied. */
export const EMPTY_HOOK: HookInput = {
  type: 'webhook',
  name: '',
  queueIds: [],
  runAfterIds: [],
  active: true,
  events: [],
  sideload: [],
  config: {},
  test: {},
  settings: {},
  settingsSchema: null,
  secrets: {},
  secretsSchema: { type: 'object', additionalProperties: { type: 'string' } },
  tokenOwnerId: null,
  tokenLifetimeS: null,
  description: null,
  extensionSource: 'custom',
  guide: null,
  readMoreUrl: null,
  extensionImageUrl: null,
  hookTemplate: null,
  metadata: {},
};

const TYPES = ['webhook', 'function', 'job'];
const SOURCES = ['custom', 'rossum_store'];
const MAX_TOKEN_LIFETIME_S = 7200;
const MAX_TEXT_LENGTH = 10_000;

interface Deps {
  readonly hooks: HookStore;
  readonly queues: QueueStore;
  readonly backbone: Pick<Backbone, 'database'>;
}

/** Refuses a hook that is wrong in itself, with every problem. `before`: what it was until now. */
function check(hook: Hook, before?: Hook): void {
  const errors: FieldErrors = {};
  const add = (field: string, problem: string | string[] | FieldErrors | null) => {
    if (problem !== null && problem.length !== 0) errors[field] = typeof problem === 'string' ? [problem] : problem;
  };
  const addBySchema = (field: string, schema: JsonObject, before: JsonObject | null | undefined, value: JsonObject) => {
    const wrong = schema === before ? [] : findSchemaProblems(schema);
    add(`${field}_schema`, wrong);
    // Deployment tools make hooks first and give them their secrets later.
    if (wrong.length > 0 || (field === 'secrets' && Object.keys(value).length === 0)) return;
    const { mismatches, problem } = checkBySchema(schema, value);
    add(field, mismatches);
    add(`${field}_schema`, problem);
  };
  const isChoice = (choices: readonly string[], value: string) =>
    choices.includes(value) ? null : `"${value}" is not a valid choice.`;
  const isShort = (text: string | null) =>
    (text?.length ?? 0) <= MAX_TEXT_LENGTH ? null : `Ensure this field has no more than ${MAX_TEXT_LENGTH} characters.`;
  const isLink = (text: string | null) => (text === null || text === '' ? null : findUrlProblem(text));

  add('name', findNameProblem(hook.name));
  add('type', isChoice(TYPES, hook.type));
  add('extension_source', isChoice(SOURCES, hook.extensionSource));
  add('events', wrongEvents(hook.events));
  add('sideload', wrongSideloads(hook.sideload));
  add('config', findConfigProblem(hook.type, hook.config, expandEvents(hook.events), before?.config));
  if (hook.settingsSchema) addBySchema('settings', hook.settingsSchema, before?.settingsSchema, hook.settings);
  addBySchema('secrets', hook.secretsSchema, before?.secretsSchema, hook.secrets);
  add('metadata', findMetadataProblem(hook.metadata));
  for (const [field, text] of Object.entries({ description: hook.description, guide: hook.guide }))
    add(field, isShort(text));
  add('read_more_url', isLink(hook.readMoreUrl));
  add('extension_image_url', isLink(hook.extensionImageUrl));
  const lifetime = hook.tokenLifetimeS;
  if (lifetime !== null && lifetime < 0) add('token_lifetime_s', 'Ensure this value is greater than or equal to 0.');
  if (lifetime !== null && lifetime > MAX_TOKEN_LIFETIME_S) {
    add('token_lifetime_s', `Ensure this value is less than or equal to ${MAX_TOKEN_LIFETIME_S}.`);
  }
  if (Object.keys(errors).length > 0) throw new Refusal('INVALID', { fields: errors });
}

function wrongEvents(events: readonly string[]): FieldErrors | null {
  const wrong = events.map((name, index) => [index, name] as const).filter(([, name]) => !isEvent(name));
  if (wrong.length === 0) return null;
  return Object.fromEntries(wrong.map(([index, name]) => [index, [`"${name}" is not a valid choice.`]]));
}

function wrongSideloads(sideload: readonly string[]): string[] {
  return sideload.filter((name) => !SIDELOADS.includes(name)).map((name) => `"${name}" is not a valid choice.`);
}

/** Refuses an order of hooks that has no beginning. */
async function checkOrder(
  caller: Caller,
  { id, runAfterIds }: Hook,
  hooks: HookStore,
  session: ClientSession,
): Promise<void> {
  if (runAfterIds.length === 0) return;
  if (!(await hooks.hold(caller, runAfterIds, session))) throw invalidField('run_after', NO_SUCH_OBJECT);
  const order = await hooks.findOrder(caller, session);
  const seen = new Set<number>();
  const waiting = [...runAfterIds];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === id)
      throw invalidField('run_after', 'A hook cannot run after itself, directly or through other hooks.');
    if (!seen.has(next)) waiting.push(...(order.get(next) ?? []));
    seen.add(next);
  }
}

/** Links the hook to exactly these queues. */
async function linkQueues(
  caller: Caller,
  id: number,
  queueIds: readonly number[],
  queues: QueueStore,
  session: ClientSession,
): Promise<void> {
  const wanted = [...new Set(queueIds)];
  const there = await queues.getActive(caller, wanted, session);
  if (there.length < wanted.length) throw invalidField('queues', NO_SUCH_OBJECT);
  await queues.updateAll(caller, { hookIds: id, _id: { $nin: wanted } }, { $pull: { hookIds: id } }, session);
  const add = { $push: { hookIds: { $each: [id], $sort: 1 } } };
  await queues.updateAll(caller, { _id: { $in: wanted }, hookIds: { $ne: id } }, add, session);
}

/** Secrets that are null are removed. */
function withoutNulls(secrets: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== null));
}

function sorted(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((one, other) => one - other);
}

/** Makes a hook in the caller's organization. Caller: admin. Field errors: `name`, `events`, `config`, `queues`, `run_after`, ... */
export async function createHook(caller: Caller, input: HookInput, { hooks, queues, backbone }: Deps): Promise<Hook> {
  requireAdmin(caller);
  const { queueIds, ...given } = input;
  const hook: Hook = {
    ...given,
    runAfterIds: sorted(given.runAfterIds),
    config: mergeConfig(given.type, {}, given.config),
    secrets: withoutNulls(given.secrets),
    id: await hooks.nextId(),
    organizationId: organizationOf(caller),
    createdById: caller.userId,
    createdAt: new Date(),
    ...UNMODIFIED,
  };
  check(hook);
  const made = { ...hook, events: expandEvents(hook.events) };
  await transaction(backbone.database, async (session) => {
    await checkOrder(caller, made, hooks, session);
    await hooks.insert(made, session);
    await linkQueues(caller, made.id, queueIds, queues, session);
  });
  return made;
}

/**
 * Changes a hook: `config` is merged by key, everything else replaced. Caller: admin. Field errors as those of `createHook`.
 *
 * @param options.replacesConfig `config` becomes what is given; what is secret in it stays
 */
export async function updateHook(
  caller: Caller,
  id: number,
  { queueIds, ...change }: Partial<HookInput>,
  { hooks, queues, backbone }: Deps,
  { replacesConfig = false }: { readonly replacesConfig?: boolean } = {},
): Promise<Hook> {
  requireAdmin(caller);
  return transaction(backbone.database, async (session) => {
    const before = found(await hooks.find(caller, id, session));
    const config = replacesConfig ? keptConfig(before.config) : before.config;
    const merged: Hook = {
      ...before,
      ...change,
      ...(change.runAfterIds && { runAfterIds: sorted(change.runAfterIds) }),
      ...(change.config && { config: mergeConfig(before.type, config, change.config) }),
      ...(change.secrets && { secrets: withoutNulls(change.secrets) }),
      ...modifiedBy(caller),
    };
    check(merged, before);
    const after = { ...merged, events: expandEvents(merged.events) };
    await checkOrder(caller, after, hooks, session);
    await hooks.replace(caller, after, session);
    if (queueIds) await linkQueues(caller, id, queueIds, queues, session);
    return after;
  });
}

/** Deletes a hook; queues and other hooks forget it. Caller: admin. */
export async function deleteHook(caller: Caller, id: number, { hooks, queues, backbone }: Deps): Promise<void> {
  requireAdmin(caller);
  await transaction(backbone.database, async (session) => {
    if (!(await hooks.remove(caller, id, session))) throw new Refusal('NOT_FOUND');
    await queues.updateAll(caller, { hookIds: id }, { $pull: { hookIds: id } }, session);
    await hooks.updateAll(caller, { runAfterIds: id }, { $pull: { runAfterIds: id } }, session);
  });
}

/** What a copy of a hook takes over. */
export interface DuplicateHookOptions {
  readonly name: string;
  readonly copySecrets: boolean;
  readonly copyDependencies: boolean;
}

/** An inactive copy of a hook, without queues. Caller: admin. Field error: `name`. */
export async function duplicateHook(
  caller: Caller,
  id: number,
  { name, copySecrets, copyDependencies }: DuplicateHookOptions,
  deps: Deps,
): Promise<Hook> {
  requireAdmin(caller);
  const { id: _id, organizationId: _organizationId, ...source } = found(await deps.hooks.find(caller, id));
  return createHook(
    caller,
    {
      ...source,
      name,
      active: false,
      queueIds: [],
      secrets: copySecrets ? source.secrets : {},
      runAfterIds: copyDependencies ? source.runAfterIds : [],
    },
    deps,
  );
}
