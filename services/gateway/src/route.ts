import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Caller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import type { ZodType } from 'zod';
import { Query } from './request/query';
import type { Permission } from './roles';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type ParameterOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParameterOf<`/${More}`>
    : Rest
  : never;

/** Parameters that are text; all others are ids. */
const TEXTS = ['filename', 's3_name'] as const;
type Text = (typeof TEXTS)[number];

/** Parameters of a path: ids are numbers. */
export type ParametersOf<Path extends string> = { readonly [K in ParameterOf<Path>]: K extends Text ? string : number };

/** What a row is given of a request. */
export class ApiRequest<Parameters = unknown, Body = unknown> {
  private parsed?: Query;

  constructor(
    /** The request itself, for what is streamed. */
    readonly http: IncomingMessage,
    /** Path without a trailing slash, below the version: `/annotations/7`. */
    readonly path: string,
    private readonly search: string,
    readonly parameters: Parameters,
    readonly body: Body,
    /** Makes the URLs of the answer. */
    readonly urls: ApiUrls,
    /** Address of the client, as it is counted. */
    readonly address = '',
  ) {}

  get query(): Query {
    this.parsed ??= new Query(this.search);
    return this.parsed;
  }

  /** The request's own URL without its query. */
  get url(): string {
    return this.urls.root + this.path;
  }

  header(name: string): string | undefined {
    const value = this.http.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }
}

/** An answer that is more than JSON with a usual status. */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string | readonly string[]>> = {},
    /** An object becomes JSON. */
    readonly body: object | Readable | null = null,
  ) {}
}

/** A query parameter, for the OpenAPI document. */
export interface QueryParameter {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly description?: string;
}

/** What the OpenAPI document says of an endpoint beyond its row. */
export interface RouteDoc {
  readonly summary?: string;
  readonly query?: readonly QueryParameter[];
  /** Status of success; 200 where nothing else is said. */
  readonly status?: number;
  /** JSON Schema of the answer. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** Content type of an answer that is no JSON, instead of it or beside it. */
  readonly media?: string;
  /** Content types of a body that is no JSON, with their JSON Schemas. */
  readonly takes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Further schemas that `answer` refers to as `#/components/schemas/<name>`. */
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** One endpoint. `call` talks to the services, `reply` makes the answer and its URLs. */
export interface RouteOptions<Path extends string, Body, Result> {
  /** Row of the permission matrix, or `public`: no credentials needed. */
  readonly allow: Permission | 'public';
  /** Takes a user name and password too (API: auth.md section 1). */
  readonly basic?: true;
  /** The limit of an address that a call counts under, beside that of all requests. API: limits.md, Request quota. */
  readonly quota?: 'logins' | 'passwords';
  /** Shape of the body; without one the body is not read. */
  readonly body?: ZodType<Body>;
  /** Requests whose body is not read all the same. */
  readonly ignoresBody?: (request: ApiRequest) => boolean;
  /** How long the services may take together; 15 seconds unless files are moved. */
  readonly timeoutMs?: number;
  /** Requests whose answer, JSON, is that of others of the caller who ask the same at the same time. */
  readonly shared?: (request: ApiRequest) => boolean;
  readonly call: (request: ApiRequest<ParametersOf<Path>, Body>, caller: Caller) => Promise<Result>;
  /** A status without body; or the body, or the whole answer. */
  readonly reply: 204 | ((result: Result, request: ApiRequest<ParametersOf<Path>, Body>) => object | Answer);
  readonly doc?: RouteDoc;
}

/** A row of the route table with its types forgotten. */
export interface Route {
  readonly method: Method;
  /** Below `/v1`. */
  readonly path: string;
  readonly allow: Permission | 'public';
  readonly basic: boolean;
  readonly quota?: 'logins' | 'passwords';
  readonly body?: ZodType<unknown>;
  readonly ignoresBody?: (request: ApiRequest) => boolean;
  readonly timeoutMs: number;
  readonly shared?: (request: ApiRequest) => boolean;
  readonly call: (request: ApiRequest, caller: Caller) => Promise<unknown>;
  readonly reply: 204 | ((result: unknown, request: ApiRequest) => object | Answer);
  readonly doc?: RouteDoc;
}

const DEFAULT_TIMEOUT_MS = 15_000;

/** Makes one row: one endpoint. */
export function route<const Path extends string, Body, Result>(
  method: Method,
  path: Path,
  options: RouteOptions<Path, Body, Result>,
): Route {
  return { timeoutMs: DEFAULT_TIMEOUT_MS, basic: false, ...options, method, path } as unknown as Route;
}

/** Whether a parameter of a path is text rather than an id. */
export function isTextParameter(name: string): boolean {
  return (TEXTS as readonly string[]).includes(name);
}

/** Reads the parameters of a path; null when one that is an id is none. */
export function readParameters(given: Readonly<Record<string, string>>): Record<string, number | string> | null {
  const parameters: Record<string, number | string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (isTextParameter(name)) {
      parameters[name] = value;
    } else {
      if (!/^\d{1,15}$/.test(value)) return null;
      parameters[name] = Number(value);
    }
  }
  return parameters;
}
