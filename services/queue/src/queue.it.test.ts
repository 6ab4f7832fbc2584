import { queue as contract } from '@intake/contracts';
import { type Caller, type Client, connectRpc, Refusal, systemCaller } from '@intake/rpc';
import { type CommandRuntime, createCommandRuntime, type RunningService } from '@intake/service';
import { dropTestData, findStored, freePorts, type ServiceEnv, serviceEnv } from '@intake/testkit';
import { start } from './main';
import { DEFAULT_ACCEPTED_MIME_TYPES, DEFAULT_SETTINGS } from './queue/queue-defaults';

/** The service by its rpcs, on a real MongoDB and NATS. */

let env: ServiceEnv;
let service: RunningService;
let probe: CommandRuntime;
let client: Client<typeof contract.QueueServiceService>;

beforeAll(async () => {
  const [port] = await freePorts(1);
  env = serviceEnv({ INTAKE_RPC_PORT: String(port), INTAKE_MAIL_DOMAIN: 'Mail.Example.com' });
  service = await start(env);
  probe = createCommandRuntime('probe');
  client = connectRpc(probe, contract.QueueServiceService, `127.0.0.1:${port}`, {
    secret: env.INTAKE_RPC_SECRET as string,
  });
});

afterAll(async () => {
  await probe?.stop();
  await service?.stop();
  if (env) await dropTestData(env);
});

let nextOrganization = 1;

/** An admin of an organization of its own. */
function newAdmin(): Caller {
  const organizationId = nextOrganization++;
  const username = `admin${organizationId}`;
  return { kind: 'user', organizationId, userId: organizationId, username, roles: ['admin'], queueIds: 'all' };
}

/** Somebody of the same organization who is assigned to some queues. */
function annotatorOf(admin: Caller, queueIds: number[]): Caller {
  return { ...admin, userId: 1000, username: 'annotator', roles: ['annotator'], queueIds };
}

const SECTION = {
  category: 'section',
  id: 'basic',
  label: 'Basic',
  children: [{ category: 'datapoint', id: 'number', label: 'Number', type: 'string', x_unknown: { z: 1, a: 2 } }],
};

const makeWorkspace = (caller: Caller, name = 'Workspace') =>
  client.createWorkspace({ name, metadata: undefined }, caller);
const makeSchema = (caller: Caller, content: unknown = [SECTION]) =>
  client.createSchema({ name: 'Schema', contentJson: JSON.stringify(content), metadata: undefined }, caller);
const makeQueue = (
  caller: Caller,
  workspaceId: number,
  schemaId: number,
  over: Partial<contract.CreateQueueRequest> = {},
) => client.createQueue(contract.CreateQueueRequest.create({ name: 'Queue', workspaceId, schemaId, ...over }), caller);
const makeInbox = (caller: Caller, queueId: number, emailPrefix = 'Invoices') =>
  client.createInbox(contract.CreateInboxRequest.fromPartial({ name: 'Inbox', queueId, emailPrefix }), caller);
const list = (over: Partial<contract.ListRequest> = {}) => contract.ListRequest.create(over);
const idsOf = (objects: readonly { id: number }[]) => objects.map(({ id }) => id);

/** A workspace with a schema and two queues. */
async function makeTwoQueues(admin = newAdmin()) {
  const workspace = await makeWorkspace(admin);
  const schema = await makeSchema(admin);
  const first = await makeQueue(admin, workspace.id, schema.id, { name: 'First' });
  const second = await makeQueue(admin, workspace.id, schema.id, { name: 'Second' });
  return { admin, workspace, schema, first, second };
}

async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const refusal = await call.then(
    (answer) => new Error(`not refused: ${JSON.stringify(answer)}`),
    (error) => error,
  );
  if (!(refusal instanceof Refusal)) throw refusal;
  return refusal;
}

describe('workspaces', () => {
  it('hold the queues that the caller sees', async () => {
    const { admin, workspace, first, second } = await makeTwoQueues();
    const empty = await client.createWorkspace({ name: 'Empty', metadata: { a: [1] } }, admin);
    expect(empty).toEqual({
      id: empty.id,
      name: 'Empty',
      organizationId: admin.organizationId,
      queueIds: [],
      metadata: { a: [1] },
      autopilot: false,
    });
    const all = await client.listWorkspaces(list(), admin);
    expect(all.total).toBe(2);
    expect(all.workspaces).toMatchObject([
      { id: workspace.id, queueIds: [first.id, second.id] },
      { id: empty.id, queueIds: [] },
    ]);

    const mine = await client.listWorkspaces(list(), annotatorOf(admin, [second.id]));
    expect(mine.total).toBe(1);
    expect(mine.workspaces).toMatchObject([{ id: workspace.id, queueIds: [second.id] }]);
    expect(await client.listWorkspaces(list({ ids: [empty.id] }), annotatorOf(admin, [second.id]))).toEqual({
      workspaces: [],
      total: 0,
    });
    expect((await client.listWorkspaces(list(), annotatorOf(admin, []))).total).toBe(0);
  });

  it('are found by id and name, in order and by pages', async () => {
    const admin = newAdmin();
    const [b, a, c] = [
      await makeWorkspace(admin, 'B'),
      await makeWorkspace(admin, 'A'),
      await makeWorkspace(admin, 'C'),
    ];
    const find = async (over: Partial<contract.ListRequest>) => {
      const { workspaces, total } = await client.listWorkspaces(list(over), admin);
      return { ids: idsOf(workspaces), total };
    };
    expect(await find({})).toEqual({ ids: [b.id, a.id, c.id], total: 3 });
    expect(await find({ ordering: ['name'] })).toEqual({ ids: [a.id, b.id, c.id], total: 3 });
    expect(await find({ ordering: ['-name'], page: 2, pageSize: 2 })).toEqual({ ids: [a.id], total: 3 });
    expect(await find({ ordering: ['nonsense', '-id'] })).toEqual({ ids: [c.id, a.id, b.id], total: 3 });
    expect(await find({ ids: [c.id, a.id] })).toEqual({ ids: [a.id, c.id], total: 2 });
    expect(await find({ name: 'A' })).toEqual({ ids: [a.id], total: 1 });
    expect(await find({ name: 'a' })).toEqual({ ids: [], total: 0 });
  });

  it('need a name, and metadata of 4 kB at most', async () => {
    const create = client.createWorkspace({ name: ' ', metadata: { a: 'x'.repeat(4096) } }, newAdmin());
    expect(Object.keys((await refusalOf(create)).fields ?? {})).toEqual(['name', 'metadata']);
  });
});

describe('queues', () => {
  it('begin with the default settings', async () => {
    const { admin, workspace, schema, first } = await makeTwoQueues();
    expect(first).toEqual({
      id: first.id,
      name: 'First',
      organizationId: admin.organizationId,
      workspaceId: workspace.id,
      schemaId: schema.id,
      inboxId: undefined,
      connectorId: undefined,
      hookIds: [],
      sessionTimeoutS: 3600,
      defaultScoreThreshold: 0.8,
      automationEnabled: false,
      automationLevel: 'never',
      locale: 'en_GB',
      metadata: {},
      useConfirmedState: false,
      status: 'active',
      settings: DEFAULT_SETTINGS,
      acceptedMimeTypes: DEFAULT_ACCEPTED_MIME_TYPES,
      rirUrl: undefined,
      rirParams: undefined,
      trainingEnabled: true,
      archiveEnabled: false,
      workflowsJson: '[]',
      deleteAfter: undefined,
    });
    expect((await client.getQueues({ ids: [first.id] }, admin)).queues).toEqual([first]);
  });

  it('keep what they are given, unknown settings too', async () => {
    const { admin, workspace, schema } = await makeTwoQueues();
    const queue = await makeQueue(admin, workspace.id, schema.id, {
      locale: 'cs_CZ',
      useConfirmedState: true,
      metadata: { a: 1 },
      settings: { accepted_mime_types: [], unknown: { 'with.dot': 1, $dollar: null } },
    });
    const [found] = (await client.getQueues({ ids: [queue.id] }, admin)).queues;
    expect(found).toMatchObject({ locale: 'cs_CZ', useConfirmedState: true, metadata: { a: 1 } });
    expect(found?.settings).toEqual({
      ...DEFAULT_SETTINGS,
      accepted_mime_types: [],
      unknown: { 'with.dot': 1, $dollar: null },
    });
    expect(found?.acceptedMimeTypes).toEqual(DEFAULT_ACCEPTED_MIME_TYPES);
  });

  it('need a workspace and a schema of the same organization', async () => {
    const other = await makeTwoQueues();
    const admin = newAdmin();
    const create = makeQueue(admin, other.workspace.id, other.schema.id, {
      name: '',
      locale: 'English',
      settings: { accepted_mime_types: ['pdf'] },
    });
    expect((await refusalOf(create)).fields).toEqual({
      name: ['This field may not be blank.'],
      workspace: ['Invalid hyperlink - Object does not exist.'],
      schema: ['Invalid hyperlink - Object does not exist.'],
      locale: ['"English" is not a valid choice.'],
      settings: ['accepted_mime_types: "pdf" is not a valid MIME type.'],
    });
  });

  it('are seen by their organization and those assigned to them only', async () => {
    const mine = await makeTwoQueues();
    const other = await makeTwoQueues();
    const ids = [mine.first.id, mine.second.id, other.first.id, 999_999];
    const see = async (caller: Caller) => idsOf((await client.getQueues({ ids }, caller)).queues).sort((a, b) => a - b);
    expect(await see(mine.admin)).toEqual([mine.first.id, mine.second.id]);
    expect(await see(annotatorOf(mine.admin, [mine.second.id]))).toEqual([mine.second.id]);
    // An assignment to a queue of another organization gives nothing.
    expect(await see(annotatorOf(mine.admin, [other.first.id]))).toEqual([]);
    expect(await see(systemCaller('extraction', mine.admin.organizationId))).toEqual([mine.first.id, mine.second.id]);
    expect((await refusalOf(client.getQueues({ ids }, systemCaller('extraction')))).reason).toBe('PERMISSION_DENIED');
    expect(await client.getQueues({ ids: [] }, mine.admin)).toEqual({ queues: [], total: 0 });

    const all = async (caller: Caller) =>
      idsOf((await client.listQueues(contract.ListQueuesRequest.create({}), caller)).queues);
    expect(await all(mine.admin)).toEqual([mine.first.id, mine.second.id]);
    expect(await all(annotatorOf(mine.admin, [mine.second.id, other.first.id]))).toEqual([mine.second.id]);
  });

  it('are found by filters, in order and by pages', async () => {
    const { admin, workspace, schema, first, second } = await makeTwoQueues();
    const elsewhere = await makeWorkspace(admin);
    const otherSchema = await makeSchema(admin, []);
    const third = await makeQueue(admin, elsewhere.id, otherSchema.id, { name: 'Alpha', locale: 'cs_CZ' });
    const inbox = await makeInbox(admin, second.id);
    const find = async (over: Partial<contract.ListQueuesRequest>) => {
      const { queues, total } = await client.listQueues(contract.ListQueuesRequest.create(over), admin);
      return { ids: idsOf(queues), total };
    };
    expect(await find({ ordering: ['name'] })).toEqual({ ids: [third.id, first.id, second.id], total: 3 });
    expect(await find({ ordering: ['-workspace', '-name'], pageSize: 2 })).toEqual({
      ids: [third.id, second.id],
      total: 3,
    });
    expect(await find({ page: 2, pageSize: 2 })).toEqual({ ids: [third.id], total: 3 });
    expect(await find({ workspaceIds: [workspace.id] })).toEqual({ ids: [first.id, second.id], total: 2 });
    expect(await find({ schemaIds: [otherSchema.id, schema.id] })).toMatchObject({ total: 3 });
    expect(await find({ schemaIds: [otherSchema.id] })).toEqual({ ids: [third.id], total: 1 });
    expect(await find({ inboxIds: [inbox.id] })).toEqual({ ids: [second.id], total: 1 });
    expect(await find({ locale: 'cs_CZ' })).toEqual({ ids: [third.id], total: 1 });
    expect(await find({ name: 'Second', ids: [first.id, second.id] })).toEqual({ ids: [second.id], total: 1 });
  });
});

describe('schemas', () => {
  it('keep their content as it was written, each version of it', async () => {
    const admin = newAdmin();
    const made = await makeSchema(admin);
    expect(made).toMatchObject({ name: 'Schema', organizationId: admin.organizationId, version: 1, queueIds: [] });
    expect(made.contentJson).toBe(JSON.stringify([SECTION]));
    expect(await client.getSchema({ id: made.id }, admin)).toEqual(made);
    const database = `${env.INTAKE_MONGODB_PREFIX}_queue`;
    expect(
      await findStored(env.INTAKE_MONGODB_URL as string, database, 'schema_versions', { schemaId: made.id }),
    ).toMatchObject([{ version: 1, contentJson: made.contentJson }]);
  });

  it('are cleaned of nulls that clients cannot read', async () => {
    const { contentJson } = await makeSchema(newAdmin(), [{ ...SECTION, hidden: null, icon: null }]);
    expect(JSON.parse(contentJson)).toEqual([{ ...SECTION, icon: null }]);
  });

  it('may be empty', async () => {
    expect((await makeSchema(newAdmin(), [])).contentJson).toBe('[]');
  });

  it('are made from templates by name', async () => {
    const admin = newAdmin();
    const make = (templateName: string) =>
      client.createSchema({ name: 'From template', contentJson: '', templateName, metadata: undefined }, admin);
    const made = await make('Tax Invoice EU Demo Template');
    const content = JSON.parse(made.contentJson);
    expect(content.length).toBeGreaterThan(0);
    expect(made.contentJson).toContain('"amount_total"');
    expect((await make('EU Demo Template')).contentJson).toBe(made.contentJson);
    expect((await makeSchema(admin, content)).contentJson).toBe(made.contentJson);
    expect((await refusalOf(make('No Template'))).fields).toEqual({
      template_name: ['"No Template" is not a valid choice.'],
    });
  });

  it('are refused with the errors at their places', async () => {
    const admin = newAdmin();
    const wrong = [
      SECTION,
      {
        category: 'section',
        id: 'table',
        label: 'Table',
        children: [
          { category: 'datapoint', label: 'No id', type: 'string' },
          {
            category: 'multivalue',
            id: 'items',
            label: 'Items',
            children: {
              category: 'tuple',
              id: 'item',
              label: 'Item',
              children: [{ category: 'datapoint', id: 'price', label: 'Price', type: 'float' }],
            },
          },
        ],
      },
    ];
    const refusal = await refusalOf(makeSchema(admin, wrong));
    expect(refusal.reason).toBe('INVALID');
    expect(refusal.fields).toEqual({
      content: [
        {},
        {
          children: [
            { id: ['This field is required.'] },
            { children: { children: [{ type: ['"float" is not a valid choice.'] }] } },
          ],
        },
      ],
    });
    expect((await client.listSchemas(list(), admin)).total).toBe(0);
  });

  it.each([
    ['', 'This field is required.'],
    ['[{', 'Value must be valid JSON.'],
    ['{}', 'Expected a list of items but got type "dict".'],
  ])('refuse %j as content', async (contentJson, message) => {
    const create = client.createSchema({ name: 'Wrong', contentJson, metadata: undefined }, newAdmin());
    expect((await refusalOf(create)).fields).toEqual({ content: [message] });
  });

  it('are seen by everybody in their organization, with the queues that each may see', async () => {
    const { admin, schema, first, second } = await makeTwoQueues();
    const other = await makeTwoQueues();
    expect((await client.getSchema({ id: schema.id }, admin)).queueIds).toEqual([first.id, second.id]);
    const annotator = annotatorOf(admin, [second.id]);
    expect((await client.getSchema({ id: schema.id }, annotator)).queueIds).toEqual([second.id]);
    const { schemas, total } = await client.listSchemas(list({ ids: [schema.id, other.schema.id] }), annotator);
    expect(total).toBe(1);
    expect(schemas).toEqual([{ ...schema, queueIds: [second.id] }]);
    expect((await refusalOf(client.getSchema({ id: other.schema.id }, admin))).reason).toBe('NOT_FOUND');
  });
});

describe('inboxes', () => {
  it('give a queue an address that is found whatever its case', async () => {
    const { admin, first } = await makeTwoQueues();
    const inbox = await makeInbox(admin, first.id);
    expect(inbox).toMatchObject({
      name: 'Inbox',
      organizationId: admin.organizationId,
      queueId: first.id,
      emailPrefix: 'invoices',
      dmarcCheckAction: 'accept',
      metadata: {},
    });
    expect(inbox.email).toMatch(/^invoices-[0-9a-f]{6}@mail\.example\.com$/);
    expect(inbox.filters).toMatchObject({ allowed_senders: [], document_rejection_conditions: { enabled: true } });

    const ingest = systemCaller('mail-ingest');
    const resolved = await client.resolveInbox({ email: inbox.email.toUpperCase() }, ingest);
    expect(resolved).toEqual({ inbox: { ...inbox, emailNotifications: undefined } });
    for (const email of [inbox.email.replace(/-\w+/, ''), `x${inbox.email}`, 'nobody@example.com', ''])
      expect((await refusalOf(client.resolveInbox({ email }, ingest))).reason).toBe('INBOX_NOT_FOUND');
    expect((await refusalOf(client.resolveInbox({ email: inbox.email }, admin))).reason).toBe('PERMISSION_DENIED');
  });

  it('are one for each queue, also when two are made at the same time', async () => {
    const { admin, first } = await makeTwoQueues();
    const results = await Promise.allSettled([1, 2, 3].map(() => makeInbox(admin, first.id)));
    const made = results.filter((result) => result.status === 'fulfilled');
    expect(made).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason.fields).toEqual({ queues: ['This queue already has an inbox.'] });
    expect((await client.listInboxes(contract.ListInboxesRequest.create({}), admin)).inboxes).toEqual([made[0]?.value]);
    expect((await client.getQueues({ ids: [first.id] }, admin)).queues[0]?.inboxId).toBe(made[0]?.value.id);
  });

  it('need a name, a prefix and a queue of the same organization', async () => {
    const other = await makeTwoQueues();
    const create = client.createInbox(
      contract.CreateInboxRequest.fromPartial({ name: '', queueId: other.first.id, emailPrefix: 'a b' }),
      newAdmin(),
    );
    expect((await refusalOf(create)).fields).toEqual({
      name: ['This field may not be blank.'],
      email_prefix: ['Enter a valid email prefix.'],
      queues: ['Invalid hyperlink - Object does not exist.'],
    });
  });

  it('are seen with their queue only', async () => {
    const { admin, first, second } = await makeTwoQueues();
    const other = await makeTwoQueues();
    const [a, b] = [await makeInbox(admin, first.id, 'b'), await makeInbox(admin, second.id, 'a')];
    await makeInbox(other.admin, other.first.id);
    const see = async (caller: Caller, over: Partial<contract.ListRequest> = {}) =>
      idsOf((await client.listInboxes(contract.ListInboxesRequest.create(over), caller)).inboxes);
    expect(await see(admin)).toEqual([a.id, b.id]);
    expect(await see(admin, { ordering: ['email_prefix'] })).toEqual([b.id, a.id]);
    expect(await see(annotatorOf(admin, [second.id]))).toEqual([b.id]);
    expect(await see(annotatorOf(admin, [second.id]), { ids: [a.id] })).toEqual([]);
  });
});

it('only admins and services make anything', async () => {
  const { admin, workspace, schema, first } = await makeTwoQueues();
  const makeAll = (caller: Caller) => [
    () => makeWorkspace(caller),
    () => makeSchema(caller),
    () => makeQueue(caller, workspace.id, schema.id),
    () => makeInbox(caller, first.id),
  ];
  for (const role of ['viewer', 'annotator', 'annotator_limited', 'annotator_embedded', 'manager', 'approver'])
    for (const make of makeAll({ ...admin, roles: [role] }))
      expect((await refusalOf(make())).reason).toBe('PERMISSION_DENIED');
  for (const make of makeAll(systemCaller('cli', admin.organizationId))) expect((await make()).id).toBeGreaterThan(0);
  expect((await makeWorkspace({ ...admin, roles: ['organization_group_admin'] })).id).toBeGreaterThan(0);
});

it('the key that encrypts secrets can be changed, and a wrong one is refused at the start', async () => {
  const [port] = await freePorts(1);
  const own = serviceEnv({ INTAKE_RPC_PORT: String(port) });
  const runtime = createCommandRuntime('keys');
  const connectors = connectRpc(runtime, contract.QueueServiceService, `127.0.0.1:${port}`, {
    secret: own.INTAKE_RPC_SECRET as string,
  });
  const admin = newAdmin();
  const startWith = (over: Record<string, string>) => start({ ...own, ...over });
  const readTokens = async () =>
    (await connectors.listConnectors(list(), admin)).connectors.map((one) => one.authorizationToken);
  try {
    let running = await startWith({});
    await connectors.createConnector(
      contract.Connector.fromPartial({
        name: 'C',
        serviceUrl: 'https://c.example',
        authorizationToken: 'token',
      }),
      admin,
    );
    await running.stop();
    // What the secret of the rpcs has encrypted is read as well.
    running = await startWith({ INTAKE_ENCRYPTION_KEY: 'first' });
    expect(await readTokens()).toEqual(['token']);
    await running.stop();
    await expect(startWith({ INTAKE_ENCRYPTION_KEY: 'second' })).rejects.toThrow(/INTAKE_ENCRYPTION_KEY.*connector/);
    running = await startWith({ INTAKE_ENCRYPTION_KEY: 'second', INTAKE_ENCRYPTION_KEY_PREVIOUS: 'first' });
    expect(await readTokens()).toEqual(['token']);
    await running.stop();
    running = await startWith({ INTAKE_ENCRYPTION_KEY: 'second' });
    expect(await readTokens()).toEqual(['token']);
    await running.stop();
  } finally {
    await runtime.stop();
    await dropTestData(own);
  }
});
