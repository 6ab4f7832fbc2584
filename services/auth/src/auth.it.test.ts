import { type Backbone, connectBackbone, type Payload } from '@intake/bus';
import { auth } from '@intake/contracts';
import { transaction } from '@intake/mongo';
import { type Caller, type Client, connectRpc, Refusal, systemCaller } from '@intake/rpc';
import { type CommandRuntime, createCommandRuntime, type RunningService } from '@intake/service';
import { dropTestData, findStored, freePorts, type ServiceEnv, serviceEnv, waitFor } from '@intake/testkit';
import { start } from './main';

/** The service by its rpcs, on a real MongoDB and NATS. */

const gateway = systemCaller('gateway');
const PASSWORD = 'correct horse';

let env: ServiceEnv;
let service: RunningService;
let probe: CommandRuntime;
let backbone: Backbone;
let client: Client<typeof auth.AuthServiceService>;
const revoked: Payload<'auth.revoked'>[] = [];
const created: Payload<'organization.created'>[] = [];

beforeAll(async () => {
  const [port] = await freePorts(1);
  env = serviceEnv({ INTAKE_RPC_PORT: String(port) });
  service = await start(env);
  // Named as the service, so that its database is the service's.
  probe = createCommandRuntime('auth');
  backbone = await connectBackbone(probe, env);
  backbone.bus.listen('auth.revoked', (payload) => void revoked.push(payload));
  backbone.bus.listen('organization.created', (payload) => void created.push(payload));
  await (await backbone.bus.connected()).flush();
  client = connectRpc(probe, auth.AuthServiceService, `127.0.0.1:${port}`, { secret: env.INTAKE_RPC_SECRET as string });
});

afterAll(async () => {
  await probe?.stop();
  await service?.stop();
  if (env) await dropTestData(env);
});

let counter = 0;

/** A new organization and its admin as a caller. */
async function makeOrganization(name = `Organization ${++counter}`, email = `Admin.${counter}@Example.com`) {
  const made = await client.createOrganization(
    { name, adminEmail: email, adminPassword: PASSWORD, anyName: false, adminUiSettings: undefined },
    gateway,
  );
  if (!made.organization || !made.admin) throw new Error('no organization');
  const admin: Caller = {
    kind: 'user',
    organizationId: made.organization.id,
    userId: made.admin.id,
    username: made.admin.username,
    roles: ['admin'],
    queueIds: 'all',
  };
  return { organization: made.organization, user: made.admin, created: made.created, admin };
}

function newUser(over: Partial<auth.CreateUserRequest> = {}): auth.CreateUserRequest {
  counter += 1;
  return auth.CreateUserRequest.create({ username: `user${counter}`, password: PASSWORD, groupIds: [2], ...over });
}

async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const refusal = await call.then(
    (answer) => new Error(`not refused: ${JSON.stringify(answer)}`),
    (error) => error,
  );
  if (!(refusal instanceof Refusal)) throw refusal;
  return refusal;
}

const logIn = (username: string, password = PASSWORD, maxTokenLifetimeS?: number) =>
  client.login({ username, password, maxTokenLifetimeS }, gateway);

/** A change that another part of the API will make. */
async function changeUser(id: number, change: Record<string, unknown>): Promise<void> {
  await backbone.database.connection.collection<{ _id: number }>('users').updateOne({ _id: id }, { $set: change });
}

describe('log in', () => {
  it('issues a token that tells who calls, until it is logged out', async () => {
    const { user } = await makeOrganization();
    const before = Date.now();
    const first = await logIn(user.username);
    const second = await logIn(user.username);

    expect(first.key).toMatch(/^[0-9a-f]{40}$/);
    expect(second.key).not.toBe(first.key);
    expect(first.identity).toEqual({
      organizationId: user.organizationId,
      userId: user.id,
      username: user.username,
      roles: ['admin'],
      queueIds: [],
      allQueues: true,
      expiresAt: first.expiresAt,
      oneTime: false,
    });
    const lifetime = (first.expiresAt?.getTime() ?? 0) - before;
    expect(lifetime / 1000).toBeGreaterThanOrEqual(583_200);
    expect(lifetime / 1000).toBeLessThan(583_260);
    expect(await client.verifyToken({ key: first.key }, gateway)).toEqual(first.identity);
    const [seen] = (await client.getUsers({ ids: [user.id] }, systemCaller('test', user.organizationId))).users;
    expect(seen?.lastLogin?.getTime()).toBeGreaterThanOrEqual(before);

    await client.logout({ key: first.key }, gateway);
    expect((await refusalOf(client.verifyToken({ key: first.key }, gateway))).reason).toBe('INVALID_TOKEN');
    expect(await client.verifyToken({ key: second.key }, gateway)).toEqual(second.identity);
    const told = await waitFor('the revocation on the bus', () => revoked.find(({ userId }) => userId === user.id));
    expect(told.tokenHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('keeps neither tokens nor passwords', async () => {
    const { user } = await makeOrganization();
    const { key } = await logIn(user.username);
    const stored = await Promise.all(
      ['tokens', 'users', 'outbox'].map((collection) =>
        findStored(env.INTAKE_MONGODB_URL as string, backbone.database.name, collection),
      ),
    );
    expect(stored[0]?.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(key);
    expect(JSON.stringify(stored)).not.toContain(PASSWORD);
  });

  it('takes e-mail addresses regardless of case, other names exactly', async () => {
    const { user, admin } = await makeOrganization();
    expect((await logIn(user.username.toUpperCase())).identity?.userId).toBe(user.id);
    const plain = await client.createUser(newUser({ username: `Plain${counter}` }), admin);
    expect((await logIn(plain.username)).identity?.userId).toBe(plain.id);
    expect((await refusalOf(logIn(plain.username.toLowerCase()))).reason).toBe('INVALID_LOGIN');
  });

  it('refuses wrong, unknown, disabled and deleted users and those without a password alike', async () => {
    const { user, admin } = await makeOrganization();
    const [disabled, deleted, without] = await Promise.all([
      client.createUser(newUser(), admin),
      client.createUser(newUser(), admin),
      client.createUser(newUser({ password: '' }), admin),
    ]);
    await changeUser(disabled.id, { isActive: false });
    await changeUser(deleted.id, { deleted: true });
    const refusals = await Promise.all([
      refusalOf(logIn(user.username, 'wrong password')),
      refusalOf(logIn('nobody@example.com')),
      refusalOf(logIn(disabled.username)),
      refusalOf(logIn(deleted.username)),
      refusalOf(logIn(without.username)),
    ]);
    const text = 'Unable to log in with provided credentials.';
    for (const { reason, httpStatus, detail, extra } of refusals)
      expect({ reason, httpStatus, detail, extra }).toEqual({
        reason: 'INVALID_LOGIN',
        httpStatus: 401,
        detail: text,
        extra: { non_field_errors: [text] },
      });
  });

  it('names the fields that are wrong', async () => {
    expect((await refusalOf(logIn('', ''))).fields).toEqual({
      username: ['This field may not be blank.'],
      password: ['This field may not be blank.'],
    });
    expect((await refusalOf(logIn('somebody', PASSWORD, 0))).fields).toEqual({
      max_token_lifetime_s: ['Ensure this value is greater than 0.'],
    });
  });

  it('is for the gateway only', async () => {
    const { admin, user } = await makeOrganization();
    const { key } = await logIn(user.username);
    const calls = [
      client.login({ username: user.username, password: PASSWORD }, admin),
      client.verifyToken({ key }, admin),
      client.verifyPassword({ username: user.username, password: PASSWORD }, admin),
      client.createOrganization(
        { name: 'X', adminEmail: 'x@x', adminPassword: PASSWORD, anyName: false, adminUiSettings: undefined },
        admin,
      ),
    ];
    for (const call of calls) expect((await refusalOf(call)).reason).toBe('PERMISSION_DENIED');
  });
});

describe('tokens', () => {
  it('expire', async () => {
    const { user } = await makeOrganization();
    const { key, expiresAt } = await logIn(user.username, PASSWORD, 0.7);
    const refusal = await waitFor('the token to expire', () =>
      client.verifyToken({ key }, gateway).then(
        () => null,
        (error: Refusal) => error,
      ),
    );
    expect(refusal.reason).toBe('INVALID_TOKEN');
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
  });

  it.each([{ isActive: false }, { deleted: true }])('are void once their user is %j', async (change) => {
    const { user } = await makeOrganization();
    const { key } = await logIn(user.username);
    await changeUser(user.id, change);
    expect((await refusalOf(client.verifyToken({ key }, gateway))).reason).toBe('INVALID_TOKEN');
  });

  it('that nobody issued are refused', async () => {
    for (const key of ['', '0'.repeat(40), 'x'.repeat(100_000)])
      expect((await refusalOf(client.verifyToken({ key }, gateway))).reason).toBe('INVALID_TOKEN');
  });

  it('of others cannot be logged out by a user', async () => {
    const { user } = await makeOrganization();
    const { admin: other } = await makeOrganization();
    const { key } = await logIn(user.username);
    await client.logout({ key }, other);
    expect((await client.verifyToken({ key }, gateway)).userId).toBe(user.id);
  });
});

describe('user name and password', () => {
  it('tell who calls, without a token', async () => {
    const { user } = await makeOrganization();
    const verify = (password: string) => client.verifyPassword({ username: user.username, password }, gateway);
    for (let i = 0; i < 2; i++) expect(await verify(PASSWORD)).toMatchObject({ userId: user.id, expiresAt: undefined });
    expect((await refusalOf(verify('wrong password'))).reason).toBe('INVALID_BASIC_AUTH');
    await changeUser(user.id, { isActive: false });
    expect((await refusalOf(verify(PASSWORD))).reason).toBe('INVALID_BASIC_AUTH');
  });
});

describe('organizations', () => {
  it('are made once, also by calls at the same time', async () => {
    const request = {
      name: 'Twins',
      adminEmail: 'twins@example.com',
      adminPassword: PASSWORD,
      anyName: false,
      adminUiSettings: undefined,
    };
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.createOrganization(request, gateway)));
    expect(answers.filter((answer) => answer.created)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.organization?.id)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.admin?.id)).size).toBe(1);

    const id = answers[0]?.organization?.id as number;
    await waitFor('the organization on the bus', () => created.some(({ organizationId }) => organizationId === id));
    const mine = systemCaller('test', id);
    expect((await client.listOrganizations({ ids: [] }, mine)).organizations).toMatchObject([
      { id, name: 'Twins', creatorId: answers[0]?.admin?.id, userIds: [answers[0]?.admin?.id], metadata: {} },
    ]);
    expect((await client.listUsers(auth.ListUsersRequest.create({}), mine)).total).toBe(1);
  });

  it('are not taken over by another name, unless any name will do', async () => {
    const { organization, user } = await makeOrganization();
    const request = { name: 'Other', adminEmail: user.username.toUpperCase(), adminPassword: PASSWORD };
    expect(
      (await refusalOf(client.createOrganization({ ...request, anyName: false, adminUiSettings: undefined }, gateway)))
        .fields,
    ).toEqual({
      admin_email: ['A user with that username already exists.'],
    });
    const found = await client.createOrganization({ ...request, anyName: true, adminUiSettings: undefined }, gateway);
    expect(found).toMatchObject({ organization: { id: organization.id, name: organization.name }, created: false });
  });

  it('need a name, an e-mail address and a password', async () => {
    const request = {
      name: '',
      adminEmail: 'nobody',
      adminPassword: '1234567',
      anyName: false,
      adminUiSettings: undefined,
    };
    expect(Object.keys((await refusalOf(client.createOrganization(request, gateway))).fields ?? {})).toEqual([
      'name',
      'admin_email',
      'admin_password',
    ]);
  });

  it('have a first admin with a name, settings, and no password unless one is given', async () => {
    const { admin } = await client.createOrganization(
      {
        name: 'Named',
        adminEmail: 'named@example.com',
        adminPassword: '',
        anyName: false,
        adminFirstName: 'Jan',
        adminLastName: 'van Novák',
        adminUiSettings: { locale: 'cs' },
      },
      gateway,
    );
    expect(admin).toMatchObject({ firstName: 'Jan', lastName: 'van Novák', uiSettings: { locale: 'cs' } });
    expect((await refusalOf(logIn('named@example.com', 'anything'))).reason).toBe('INVALID_LOGIN');
  });

  it('of others are not there', async () => {
    const mine = await makeOrganization();
    const other = await makeOrganization();
    const list = (ids: number[]) => client.listOrganizations({ ids }, mine.admin);
    expect((await list([])).organizations.map(({ id }) => id)).toEqual([mine.organization.id]);
    expect((await list([other.organization.id])).organizations).toEqual([]);
    expect((await refusalOf(client.listOrganizations({ ids: [] }, gateway))).reason).toBe('PERMISSION_DENIED');
  });
});

describe('users', () => {
  it('are made by admins in their own organization', async () => {
    const { admin, organization } = await makeOrganization();
    const request = newUser({ email: 'jan@example.com', firstName: 'Jan', lastName: 'Novák', queueIds: [7, 8] });
    const user = await client.createUser(request, admin);
    expect(user).toMatchObject({
      username: request.username,
      email: 'jan@example.com',
      firstName: 'Jan',
      lastName: 'Novák',
      organizationId: organization.id,
      groupIds: [2],
      queueIds: [7, 8],
      isActive: true,
      deleted: false,
      lastLogin: undefined,
      uiSettings: {},
      metadata: {},
    });
    expect((await logIn(user.username)).identity).toMatchObject({
      roles: ['annotator'],
      queueIds: [7, 8],
      allQueues: false,
    });
    for (const role of ['viewer', 'annotator', 'manager', 'approver'])
      expect((await refusalOf(client.createUser(newUser(), { ...admin, roles: [role] }))).reason).toBe(
        'PERMISSION_DENIED',
      );
  });

  it('have names that nobody else has, in the whole installation', async () => {
    const mine = await makeOrganization();
    const other = await makeOrganization();
    const taken = { username: ['A user with that username already exists.'] };
    const { username } = await client.createUser(newUser(), mine.admin);
    for (const { admin } of [mine, other])
      expect((await refusalOf(client.createUser(newUser({ username }), admin))).fields).toEqual(taken);
    const upper = newUser({ username: mine.user.username.toUpperCase() });
    expect((await refusalOf(client.createUser(upper, other.admin))).fields).toEqual(taken);
  });

  it('that are wrong are refused with every field that is', async () => {
    const { admin } = await makeOrganization();
    const wrong = newUser({ username: '', email: 'nobody', password: '1234567', groupIds: [9] });
    expect(Object.keys((await refusalOf(client.createUser(wrong, admin))).fields ?? {})).toEqual([
      'username',
      'email',
      'password',
      'groups',
    ]);
  });

  it('of another organization are not there', async () => {
    const mine = await makeOrganization();
    const other = await makeOrganization();
    const got = await client.getUsers({ ids: [mine.user.id, other.user.id] }, mine.admin);
    expect(got.users.map(({ id }) => id)).toEqual([mine.user.id]);
    const listed = await client.listUsers(auth.ListUsersRequest.create({ ids: [other.user.id] }), mine.admin);
    expect(listed).toEqual({ users: [], total: 0 });
    const assign = client.assignQueues({ userId: other.user.id, queueIds: [1] }, mine.admin);
    expect((await refusalOf(assign)).reason).toBe('NOT_FOUND');
  });

  it('are listed by filters, in order and by pages, without deleted ones', async () => {
    const { admin, user } = await makeOrganization();
    const [anna, bert, carl, gone] = await Promise.all(
      ['Anna', 'Bert', 'Carl', 'Gone'].map((firstName, i) =>
        client.createUser(newUser({ firstName, queueIds: [i, 100] }), admin),
      ),
    );
    if (!anna || !bert || !carl || !gone) throw new Error('a user is missing');
    await changeUser(gone.id, { deleted: true });
    await changeUser(carl.id, { isActive: false });
    const list = async (request: Partial<auth.ListUsersRequest>) => {
      const { users, total } = await client.listUsers(auth.ListUsersRequest.create(request), admin);
      return { names: users.map(({ firstName }) => firstName), total };
    };

    expect(await list({ ordering: ['-first_name'] })).toEqual({ names: ['Carl', 'Bert', 'Anna', ''], total: 4 });
    expect(await list({ ordering: ['-first_name'], page: 2, pageSize: 3 })).toEqual({ names: [''], total: 4 });
    expect(await list({ ids: [bert.id, gone.id] })).toEqual({ names: ['Bert'], total: 1 });
    expect(await list({ queueIds: [0, 1], ordering: ['first_name'] })).toEqual({ names: ['Anna', 'Bert'], total: 2 });
    expect(await list({ username: anna.username })).toEqual({ names: ['Anna'], total: 1 });
    expect(await list({ username: anna.username.toUpperCase() })).toEqual({ names: [], total: 0 });
    expect(await list({ isActive: false })).toEqual({ names: ['Carl'], total: 1 });
    const { organizations } = await client.listOrganizations({ ids: [] }, admin);
    expect(organizations[0]?.userIds).toEqual([user.id, ...[anna.id, bert.id, carl.id].sort((a, b) => a - b)]);
  });

  it('get other queues, and everybody is told that their rights have changed', async () => {
    const { admin } = await makeOrganization();
    const user = await client.createUser(newUser({ queueIds: [1] }), admin);
    const { key } = await logIn(user.username);
    expect((await client.assignQueues({ userId: user.id, queueIds: [3, 2, 3] }, admin)).queueIds).toEqual([3, 2]);
    expect((await client.verifyToken({ key }, gateway)).queueIds).toEqual([3, 2]);
    const system = systemCaller('gateway', user.organizationId);
    expect((await client.assignQueues({ userId: user.id, queueIds: [] }, system)).queueIds).toEqual([]);

    const tell = () => revoked.filter(({ userId, tokenHash }) => userId === user.id && tokenHash === '').length === 2;
    await waitFor('both changes on the bus', tell);
    const annotator: Caller = { ...admin, roles: ['annotator'], userId: user.id };
    const own = client.assignQueues({ userId: user.id, queueIds: [1] }, annotator);
    expect((await refusalOf(own)).reason).toBe('PERMISSION_DENIED');
  });

  it('are assigned to a queue until it is deleted', async () => {
    const [mine, other] = [await makeOrganization(), await makeOrganization()];
    const user = await client.createUser(newUser({ queueIds: [41, 42, 43] }), mine.admin);
    const elsewhere = await client.createUser(newUser({ queueIds: [42] }), other.admin);
    const queuesOf = async ({ id, organizationId }: auth.User) =>
      (await client.getUsers({ ids: [id] }, systemCaller('test', organizationId))).users[0]?.queueIds;

    await transaction(backbone.database, async (session) => {
      const payload = { queueId: 42, organizationId: user.organizationId };
      backbone.emit(session, { subject: 'queue.deleted', aggregate: 'queue:42', version: 1, payload });
    });
    await waitFor('the queue to be forgotten', async () => !(await queuesOf(user))?.includes(42));
    expect(await queuesOf(user)).toEqual([41, 43]);
    expect(await queuesOf(elsewhere)).toEqual([42]);
  });
});

it('tokens of extensions are those of users who may act, and not of group admins', async () => {
  const { admin } = await makeOrganization();
  const system = systemCaller('test', admin.organizationId as number);
  const issueFor = (userId: number) => client.issueUserToken({ userId, lifetimeS: 60 }, system);
  const user = await client.createUser(newUser(), admin);
  const { key } = await issueFor(user.id);
  expect(await client.verifyToken({ key }, gateway)).toMatchObject({ userId: user.id });
  const groupAdmin = await client.createUser(newUser({ groupIds: [6] }), admin);
  expect((await refusalOf(issueFor(groupAdmin.id))).reason).toBe('PERMISSION_DENIED');
  await changeUser(user.id, { isActive: false });
  expect((await refusalOf(issueFor(user.id))).reason).toBe('NOT_FOUND');
});

describe('one-time tokens', () => {
  const issue = async () => {
    const { user } = await makeOrganization();
    const { key } = await client.issueOneTimeToken({ userId: user.id }, systemCaller('test', user.organizationId));
    return { user, key };
  };
  const exchange = (key: string, over: Partial<auth.ExchangeTokenRequest> = {}) =>
    client.exchangeToken({ key, origin: 'http://localhost', ...over }, gateway);

  it('are good for one call', async () => {
    const { user, key } = await issue();
    expect(await client.verifyToken({ key }, gateway)).toMatchObject({ userId: user.id, oneTime: true });
    expect((await refusalOf(client.verifyToken({ key }, gateway))).reason).toBe('INVALID_TOKEN');
    expect((await refusalOf(exchange(key))).reason).toBe('INVALID_TOKEN');
  });

  it('are exchanged once, for a token of 162 hours', async () => {
    const { user, key } = await issue();
    expect((await refusalOf(exchange(key, { maxTokenLifetimeS: -1 }))).reason).toBe('INVALID');
    const before = Date.now();
    const answers = await Promise.allSettled([exchange(key), exchange(key), exchange(key)]);
    const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(made).toHaveLength(1);
    expect(((made[0]?.expiresAt?.getTime() ?? 0) - before) / 1000).toBeGreaterThanOrEqual(583_200);
    const identity = await client.verifyToken({ key: made[0]?.key ?? '' }, gateway);
    expect(identity).toMatchObject({ userId: user.id, oneTime: false });
  });

  it('are for services to issue, of their organization', async () => {
    const [mine, other] = [await makeOrganization(), await makeOrganization()];
    const issueFor = (caller: Caller) => client.issueOneTimeToken({ userId: mine.user.id }, caller);
    expect((await refusalOf(issueFor(mine.admin))).reason).toBe('PERMISSION_DENIED');
    const refusal = await refusalOf(issueFor(systemCaller('test', other.organization.id)));
    expect(refusal.reason).toBe('NOT_FOUND');
  });

  it('and others: an exchanged token lives as long as the first was to live', async () => {
    const { user } = await makeOrganization();
    const { key } = await logIn(user.username, PASSWORD, 100);
    const before = Date.now();
    const { expiresAt } = await exchange(key);
    const seconds = ((expiresAt?.getTime() ?? 0) - before) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(100);
    expect(seconds).toBeLessThan(110);
  });
});

it.each([
  ['tokens', 'expiresAt'],
  ['attempts', 'until'],
])('%s do not pile up: MongoDB removes them by itself', async (collection, field) => {
  const indexes = await backbone.database.connection.collection(collection).indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { [field]: 1 }, expireAfterSeconds: 0 }));
});
