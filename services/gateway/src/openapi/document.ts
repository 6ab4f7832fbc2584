import { inputSchema, type JsonSchema } from '@intake/resources';
import { MAY } from '../roles';
import { isTextParameter, type Route, type RouteDoc } from '../route';

/** Schemas that every answer may refer to. */
const COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  Pagination: {
    type: 'object',
    properties: {
      total: { type: 'integer' },
      total_pages: { type: 'integer' },
      next: { type: ['string', 'null'], format: 'uri' },
      previous: { type: ['string', 'null'], format: 'uri' },
    },
    required: ['total', 'total_pages', 'next', 'previous'],
  },
  Detail: {
    type: 'object',
    properties: { detail: { type: 'string' }, code: { type: 'string' } },
    required: ['detail', 'code'],
  },
  FieldErrors: {
    type: 'object',
    description: 'Messages by field; objects nest, lists of objects have an entry for each item.',
    additionalProperties: { type: ['array', 'object'] },
  },
};

const json = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } });
const CLIENT_ERROR = { anyOf: [{ $ref: '#/components/schemas/Detail' }, { $ref: '#/components/schemas/FieldErrors' }] };
const ERRORS = {
  '4XX': { description: 'What the request says is wrong, or not allowed.', ...json(CLIENT_ERROR) },
  '5XX': {
    description: 'The service has a problem; try again later.',
    ...json({ $ref: '#/components/schemas/Detail' }),
  },
};

/** Bodies of an answer by their types. */
const answerOf = ({ answer, media }: RouteDoc) => ({
  ...(answer && json(answer).content),
  ...(media && { [media]: {} }),
});

/** Names of the parameters in a path of the route table: `/queues/:id` has `id`. */
function parametersOf(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}

const mapValues = <T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));

const toTemplate = (path: string) => path.replace(/:(\w+)/g, '{$1}');

/** First part of the path: endpoints are grouped by it. */
const tagOf = (path: string) => path.split('/')[1] || 'root';

function operationOf(route: Route): JsonSchema {
  const { method, path, allow, basic, body, reply, doc = {} } = route;
  const status = doc.status ?? (reply === 204 ? 204 : 200);
  const security = allow === 'public' ? [] : [{ bearer: [] }, ...(basic ? [{ basic: [] }] : [])];
  const roles = allow === 'public' ? [] : MAY[allow];
  return {
    tags: [tagOf(path)],
    operationId: `${method.toLowerCase()}${path.replace(/[/:]+(\w)/g, (_, letter: string) => `_${letter}`).replace(/\/$/, '_root')}`,
    ...(doc.summary && { summary: doc.summary }),
    ...(roles.length > 0 && { description: `For ${roles.join(', ')}.` }),
    security,
    parameters: [
      ...parametersOf(path).map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: isTextParameter(name) ? { type: 'string' } : { type: 'integer', minimum: 1 },
      })),
      ...(doc.query ?? []).map((parameter) => ({ ...parameter, in: 'query' })),
    ],
    ...(body && { requestBody: { ...json(inputSchema(body)), required: true } }),
    ...(doc.takes && { requestBody: { content: mapValues(doc.takes, (schema) => ({ schema })), required: true } }),
    responses: {
      [status]: {
        description: status === 204 ? 'Done.' : 'The answer.',
        ...((doc.answer || doc.media) && status !== 204 && { content: answerOf(doc) }),
      },
      ...ERRORS,
    },
  };
}

/**
 * The OpenAPI 3.1 document of the API, made from the rows that are served.
 *
 * @param root absolute URL of the version's root
 */
export function createOpenApi(routes: readonly Route[], root: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const schemas: Record<string, JsonSchema> = { ...COMPONENTS };
  for (const route of routes) {
    const path = toTemplate(route.path);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route);
    Object.assign(schemas, route.doc?.components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Intake',
      version: '1',
      description: 'Self-hosted document capture. Every path is taken with and without one slash at its end.',
    },
    servers: [{ url: root }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The key that POST /auth/login answers.' },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  };
}
