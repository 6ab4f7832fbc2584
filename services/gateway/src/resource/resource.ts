import { bodyOf, type ResourceKind, schemaOf, valuesOf } from '@intake/resources';
import type { Caller } from '@intake/rpc';
import { listRoute, type Wanted } from '../list-route';
import { namedSchema } from '../openapi/named-schema';
import { created, replyOne } from '../reply/list';
import type { Filter } from '../request/filters';
import type { Query } from '../request/query';
import type { Permission } from '../roles';
import { type QueryParameter, type Route, type RouteDoc, route } from '../route';

type Filters = Readonly<Record<string, Filter<unknown>>>;

/** A collection: who may do what, how it is listed, and what the services are asked. What is absent is not allowed (405). */
export interface ResourceOptions<Row, Values, F extends Filters> {
  readonly kind: ResourceKind<Row>;
  readonly read: Permission;
  readonly write: Permission;
  readonly filters: F;
  /** Filters that the API has and this version cannot apply: refused rather than ignored. */
  readonly unavailable?: readonly string[];
  readonly orderings: readonly string[];
  readonly list: (wanted: Wanted<F>, caller: Caller) => Promise<{ rows: readonly Row[]; total: number }>;
  readonly get: (id: number, caller: Caller) => Promise<Row>;
  readonly create?: (values: Values, caller: Caller) => Promise<Row>;
  /** `fields` are the names of the fields of `values` that change; one that is named and undefined is emptied. */
  readonly update?: (id: number, values: Values, fields: string[], caller: Caller) => Promise<Row>;
  /** What PUT writes, where it is more than the values of the attributes. */
  readonly replaced?: (values: Values) => Values;
  readonly remove?: (id: number, caller: Caller, query: Query) => Promise<unknown>;
  /** Query parameters that `remove` reads. */
  readonly removeQuery?: readonly QueryParameter[];
}

/** The endpoints of a collection and its objects: list, create, retrieve, replace, change, delete. */
export function resourceRoutes<const Path extends string, Row, Values, F extends Filters>(
  path: Path,
  options: ResourceOptions<Row, Values, F>,
): Route[] {
  const { kind, read, write, list, get, create, update, remove } = options;
  const { name, attributes, toJson } = kind;
  const one = `${path}/:id` as const;
  const what = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const described = namedSchema(name, schemaOf(attributes));
  const doc = (verb: string, more?: RouteDoc) => described.one(`${verb} ${what}`, more);
  const idOf = (parameters: unknown) => (parameters as { id: number }).id;

  const change = (method: 'PUT' | 'PATCH', verb: string) =>
    update
      ? [
          route(method, one, {
            allow: write,
            doc: doc(verb),
            body: bodyOf(attributes, method),
            call: async ({ parameters, body }, caller) => {
              const given = valuesOf(attributes, body, method) as Values;
              const values = method === 'PUT' && options.replaced ? options.replaced(given) : given;
              const row = await update(idOf(parameters), values, Object.keys(values as object), caller);
              return { row, caller };
            },
            reply: ({ row, caller }, { urls }) => toJson(row, urls, caller),
          }),
        ]
      : [];

  return [
    listRoute(path, {
      allow: read,
      filters: options.filters,
      unavailable: options.unavailable,
      orderings: options.orderings,
      fetch: list,
      toJson,
      doc: described.listed(`List: ${what}`),
    }),
    ...(create
      ? [
          route('POST', path, {
            allow: write,
            doc: doc('Create a', { status: 201 }),
            body: bodyOf(attributes, 'POST'),
            call: async ({ body }, caller) => {
              const row = await create(valuesOf(attributes, body, 'POST') as Values, caller);
              return { row, caller };
            },
            reply: ({ row, caller }, { urls }) => created(toJson(row, urls, caller)),
          }),
        ]
      : []),
    route('GET', one, {
      allow: read,
      doc: described.retrieved(`Retrieve a ${what}`),
      call: async ({ parameters }, caller) => ({ row: await get(idOf(parameters), caller), caller }),
      reply: ({ row, caller }, request) => replyOne(request, toJson(row, request.urls, caller)),
    }),
    ...change('PUT', 'Replace a'),
    ...change('PATCH', 'Change a'),
    ...(remove
      ? [
          route('DELETE', one, {
            allow: write,
            doc: { summary: `Delete a ${what}`, status: 204, query: options.removeQuery },
            call: ({ parameters, query }, caller) => remove(idOf(parameters), caller, query),
            reply: 204,
          }),
        ]
      : []),
  ];
}
