import { createRoutes } from '../routes';
import { createOpenApi } from './document';

const nothing = new Proxy({}, { get: () => ({}) });
const routes = createRoutes({ services: nothing, authenticator: {}, domain: null } as unknown as Parameters<
  typeof createRoutes
>[0]);
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into from outside
const document = JSON.parse(JSON.stringify(createOpenApi(routes, 'http://h/api/v1'))) as any;

interface Operation {
  readonly summary?: string;
  readonly responses: Record<string, object>;
}

/** Every object inside a value that has a key. */
function findAll(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.hasOwn(value, key) ? [(value as Record<string, unknown>)[key]] : [];
  return [...own, ...Object.values(value).flatMap((inner) => findAll(inner, key))];
}

it('has every endpoint that is served, and no other', () => {
  const served = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries(document.paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(served.sort());
});

it('names each operation once, each parameter of its path, and refers only to schemas that are there', () => {
  const names = findAll(document.paths, 'operationId');
  expect(new Set(names).size).toBe(names.length);
  for (const [path, item] of Object.entries(
    document.paths as Record<string, Record<string, { parameters: { name: string; in: string }[] }>>,
  )) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(item)) {
      expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(wanted);
    }
  }
  for (const ref of findAll(document, '$ref') as string[]) {
    const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(ref) ?? [];
    expect(Object.keys(document.components.schemas)).toContain(name);
  }
});

it('says what an object holds, what of it is written, and what must be', () => {
  const { Queue } = document.components.schemas;
  expect(Queue.properties.id).toEqual({ type: 'integer', readOnly: true });
  expect(Queue.properties.automation_level).toEqual({ type: 'string', enum: ['always', 'confident', 'never'] });
  expect(Queue.required).toContain('counts');
  const { schema } = document.paths['/queues'].post.requestBody.content['application/json'];
  expect(schema.required.sort()).toEqual(['name', 'schema', 'workspace']);
  expect(schema.properties).not.toHaveProperty('counts');
  expect(document.paths['/queues/{id}'].patch.requestBody.content['application/json'].schema.required).toBeUndefined();
  expect(document.paths['/queues/{id}'].delete.responses).toHaveProperty('204');
  expect(document.paths['/queues'].get.parameters.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['page', 'ordering', 'workspace', 'deleting', 'fields']),
  );
});

it('says of each endpoint what it does and what it answers', () => {
  const silent = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { summary, responses }]) => {
      const done = Object.entries(responses).find(([status]) => !/^[45]/.test(status));
      const answers = done && (['204', '302'].includes(done[0]) || 'content' in done[1]);
      return summary && answers && done[0] !== '2XX' ? [] : [`${method} ${path}`];
    }),
  );
  expect(silent).toEqual([]);
});
