import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, type Json, type Organization, startSystem, type TestSystem } from '@intake/testkit';
import { Cli } from './cli';

/** The public command-line clients, unchanged: base URL and login are all they are given. API: client-compat.md section 3. */

const SAMPLES = join(__dirname, '../samples');
const truth = JSON.parse(readFileSync(join(SAMPLES, 'truth.json'), 'utf8'));

const CLIENTS = [
  { name: 'rossum', variable: 'INTAKE_TEST_ROSSUM_PYTHON', prefix: 'ROSSUM', hook: 'hook' },
  { name: 'elisctl', variable: 'INTAKE_TEST_ELISCTL_PYTHON', prefix: 'ELIS', hook: 'webhook' },
] as const;

const found = CLIENTS.filter(({ variable }) => process.env[variable]);
for (const { name, variable } of CLIENTS) {
  const problem = process.env[`${variable}_PROBLEM`];
  if (problem) console.warn(`${name} is not tried: ${problem}`);
}

let system: TestSystem;
let folder: string;
beforeAll(async () => {
  if (found.length === 0) return;
  system = await startSystem();
  folder = mkdtempSync(join(tmpdir(), 'intake-cli-'));
});
afterAll(async () => {
  await system?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const NEW_PASSWORD = 'violet-harbour-42-lamps';

(found.length > 0 ? describe.each(found) : describe.skip.each(CLIENTS))('$name', ({ name, variable, prefix, hook }) => {
  let organization: Organization;
  let api: Api;
  let cli: Cli;
  const clients: Cli[] = [];
  const python = process.env[variable] as string;

  const clientOf = (username: string, password: string) => {
    const client = new Cli(python, name, {
      [`${prefix}_URL`]: system.baseUrl,
      [`${prefix}_USERNAME`]: username,
      [`${prefix}_PASSWORD`]: password,
      HOME: folder,
    });
    clients.push(client);
    return client;
  };
  const url = (collection: string, id: number | string) => `${system.baseUrl}/v1/${collection}/${id}`;
  const firstNumber = (output: string) => Number(/^\d+/.exec(output)![0]);
  /** The cells of the line of a table that begins with this id. */
  const lineOf = (table: string, id: number) =>
    table
      .split('\n')
      .find((line) => new RegExp(`^\\s*${id}\\b`).test(line))
      ?.trim()
      .split(/\s{2,}/);

  beforeAll(async () => {
    organization = await system.createOrganization(name);
    api = await system.login(organization.admin);
    cli = clientOf(organization.admin.username, organization.admin.password);
  });
  afterAll(() => {
    for (const client of clients) client.stop();
  });

  it('says that a login is wrong', async () => {
    const { code, error } = await clientOf(organization.admin.username, 'wrong').try(['user', 'list']);
    expect([code, error]).toEqual([1, expect.stringContaining('Login failed with the provided credentials.')]);
  });

  it('logs in with what it was configured with, and out again', async () => {
    const { username, password } = organization.admin;
    const configured = new Cli(python, name, { HOME: folder });
    clients.push(configured);
    const input = `${system.baseUrl}\n${username}\n${password}\n`;
    expect((await configured.try(['configure'], input)).code).toBe(0);
    expect(await configured.run('user', 'list')).toContain(username);
  });

  it('makes, lists, changes and deletes users', async () => {
    const { queueId } = organization;
    const username = `${name}.user@example.com`;
    const [id, password] = (
      await cli.run('user', 'create', username, '-q', queueId, '-g', 'manager', '-l', 'cs')
    ).split(', ');
    const userId = Number(id);
    expect(await api.get(`/users/${id}`)).toMatchObject({
      username,
      email: username,
      groups: [url('groups', 4)],
      queues: [url('queues', queueId)],
      ui_settings: { locale: 'cs' },
    });
    expect((await cli.try(['user', 'create', username, '-q', queueId])).error).toContain('already exists');
    expect(lineOf(await cli.run('user', 'list'), userId)).toEqual([id, username, 'manager', String(queueId)]);
    const own = clientOf(username, password as string);
    expect(lineOf(await own.run('user', 'list'), userId)).toEqual([id, username, 'manager', String(queueId)]);

    await cli.run('user', 'change', userId, '-g', 'viewer', '-l', 'en');
    expect(await api.get(`/users/${id}`)).toMatchObject({
      groups: [url('groups', 1)],
      queues: [url('queues', queueId)],
      ui_settings: { locale: 'en' },
    });
    // A viewer sees the names of the others, and cannot make users.
    expect(await own.run('user', 'list')).toContain(organization.admin.username);
    expect((await own.try(['user', 'create', 'x@example.com', '-q', String(queueId)])).code).toBe(1);

    await cli.run('user_assignment', 'remove', '-u', userId, '-q', queueId);
    expect((await api.get(`/users/${id}`)).queues).toEqual([]);
    await cli.run('user_assignment', 'add', '-u', userId, '-q', queueId);
    expect((await api.get(`/users/${id}`)).queues).toEqual([url('queues', queueId)]);
    expect(lineOf(await cli.run('user_assignment', 'list', '-u', userId), userId)).toEqual([
      id,
      username,
      String(queueId),
      (await api.get(`/queues/${queueId}`)).name,
    ]);

    await cli.run('user', 'delete', userId, '--yes');
    expect(await api.get(`/users/${id}`)).toMatchObject({ is_active: false, deleted: false });
    expect(lineOf(await cli.run('user', 'list'), userId)).toBeUndefined();
    expect((await own.try(['user', 'list'])).error).toContain('Login failed');
  });

  it('changes and resets passwords', async () => {
    const username = `${name}.password@example.com`;
    const [id, password] = (await cli.run('user', 'create', username, '-q', organization.queueId)).split(', ');
    const own = clientOf(username, password as string);
    if (name === 'elisctl') {
      await cli.run('user', 'change', id as string, '-p', NEW_PASSWORD);
    } else {
      const change = ['password', 'change', '--password'];
      expect((await own.try([...change, 'too-short'])).error).toContain('new_password2');
      expect(await own.run(...change, NEW_PASSWORD)).toContain('New password has been saved.');
      expect(await cli.run('password', 'reset', username)).toBe('Password reset e-mail has been sent.');
    }
    expect((await own.try(['user', 'list'])).error).toContain('Login failed');
    expect(await clientOf(username, NEW_PASSWORD).run('user', 'list')).toContain(username);
  });

  it('makes and lists workspaces', async () => {
    const id = firstNumber(await cli.run('workspace', 'create', 'Second workspace'));
    expect(lineOf(await cli.run('workspace', 'list'), id)).toEqual([String(id), 'Second workspace']);
  });

  it('reads schemas as JSON and XLSX, and makes queues of them', async () => {
    const { queueId } = organization;
    const queue = await api.get(`/queues/${queueId}`);
    const schemaId = Number(queue.schema.split('/').pop());
    expect(lineOf(await cli.run('schema', 'list'), schemaId)?.at(-1)).toBe(String(queueId));
    const { content } = await api.get(queue.schema);
    const workspaceId = queue.workspace.split('/').pop();
    for (const format of ['json', 'xlsx']) {
      const file = join(folder, `${name}.${format}`);
      await cli.run('schema', 'get', schemaId, '--format', format, '-O', file);
      if (format === 'json') expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(content);
      const prefix = `${name}-${format}`;
      const options = [
        '-s',
        file,
        '-w',
        workspaceId,
        '--email-prefix',
        prefix,
        '--bounce-email',
        'b@example.com',
        '--locale',
        'cs_CZ',
      ];
      const [id, email] = (await cli.run('queue', 'create', `From ${format}`, ...options)).split(', ');
      const made = await api.get(`/queues/${id}`);
      expect(made).toMatchObject({ name: `From ${format}`, workspace: queue.workspace, locale: 'cs_CZ' });
      expect(await api.get(made.inbox)).toMatchObject({ email, bounce_email_to: 'b@example.com' });
      expect(email).toContain(prefix);
      const ids = (sections: Json[]) =>
        sections.map((section) => [section.id, section.children.map((child: Json) => child.id)]);
      expect(ids((await api.get(made.schema)).content)).toEqual(ids(content));
      expect(lineOf(await cli.run('queue', 'list'), Number(id))?.slice(0, 3)).toEqual([
        id,
        `From ${format}`,
        workspaceId,
      ]);
    }
  });

  it('changes schemas and queues', async () => {
    const { queueId } = organization;
    const queue = await api.get(`/queues/${queueId}`);
    const { content } = await api.get(queue.schema);
    const [section] = content;
    const file = join(folder, 'changed.json');
    writeFileSync(file, JSON.stringify([{ ...section, label: 'Changed' }, ...content.slice(1)]));
    const schemaId = queue.schema.split('/').pop();
    await cli.run('schema', 'update', schemaId, file, '--rewrite', '--name', 'Renamed');
    expect(await api.get(queue.schema)).toMatchObject({
      name: 'Renamed',
      content: [{ label: 'Changed' }, ...content.slice(1).map(() => ({}))],
    });
    await cli.run('schema', 'update', schemaId, file);
    const moved = await api.get(`/queues/${queueId}`);
    expect(moved.schema).not.toBe(queue.schema);

    const printed = await cli.run(
      'queue',
      'change',
      queueId,
      '-n',
      'Renamed',
      '--locale',
      'de_DE',
      '--email-prefix',
      `${name}-new`,
      '--bounce-email',
      'c@example.com',
      '-s',
      file,
    );
    const inbox = await api.get(moved.inbox);
    expect(printed).toBe(`${inbox.id}, ${inbox.email}, c@example.com`);
    expect(inbox.email).toContain(`${name}-new`);
    const changed = await api.get(`/queues/${queueId}`);
    expect(changed).toMatchObject({ name: 'Renamed', locale: 'de_DE', inbox: moved.inbox });
    expect(changed.schema).not.toBe(moved.schema);
  });

  it('deletes queues and workspaces', async () => {
    const workspaceId = firstNumber(await cli.run('workspace', 'create', 'To go'));
    await cli.run('workspace', 'change', workspaceId, '-n', 'Going');
    expect((await api.get(`/workspaces/${workspaceId}`)).name).toBe('Going');
    const file = join(folder, `${name}.json`);
    const queueId = firstNumber(await cli.run('queue', 'create', 'To go', '-s', file, '-w', workspaceId));
    const refused = await cli.try(['workspace', 'delete', workspaceId, '--yes']);
    expect(refused.output).toMatch(/caused.*409|caused.*conflict/s);
    await cli.run('queue', 'delete', queueId, '--yes');
    expect((await api.get(`/queues/${queueId}`)).status).toBe('deletion_requested');
    const emptyId = firstNumber(await cli.run('workspace', 'create', 'Empty'));
    await cli.run('workspace', 'delete', emptyId, '--yes');
    expect((await api.request('GET', `/workspaces/${emptyId}`)).status).toBe(404);
  });

  it('makes, lists, changes and deletes connectors', async () => {
    const { queueId } = organization;
    const options = ['-u', 'https://connector.example.com', '-t', 'a-token', '-p', 'strict=true', '-a', 'false'];
    const id = firstNumber(await cli.run('connector', 'create', 'Accounting', '-q', queueId, ...options));
    expect(await api.get(`/connectors/${id}`)).toMatchObject({
      name: 'Accounting',
      queues: [url('queues', queueId)],
      service_url: 'https://connector.example.com',
      authorization_token: 'a-token',
      params: 'strict=true',
      asynchronous: false,
    });
    expect(await cli.run('connector', 'list')).toContain('https://connector.example.com');
    await cli.run('connector', 'change', id, '-n', 'Books', '-u', 'https://other.example.com');
    expect(await api.get(`/connectors/${id}`)).toMatchObject({
      name: 'Books',
      service_url: 'https://other.example.com',
    });
    await cli.run('connector', 'delete', id, '--yes');
    expect((await api.request('GET', `/connectors/${id}`)).status).toBe(404);
  });

  it('makes, lists, changes and deletes hooks', async () => {
    const { queueId } = organization;
    const type = hook === 'hook' ? ['-t', 'webhook'] : [];
    const options = [
      '--config-url',
      'https://hook.example.com',
      '--config-secret',
      'a-secret',
      hook === 'hook' ? '--config-insecure-ssl' : '--config_insecure_ssl',
      'false',
    ];
    const more = hook === 'hook' ? ['-s', 'queues', '--token-owner', (await api.get('/auth/user')).id] : [];
    const made = await cli.run(
      hook,
      'create',
      'Watcher',
      ...type,
      '-q',
      queueId,
      '-e',
      'annotation_status',
      ...options,
      ...more,
    );
    const id = firstNumber(made);
    expect(made).toContain('Watcher');
    const read = () => api.get(`/hooks/${id}`);
    expect(await read()).toMatchObject({
      name: 'Watcher',
      type: 'webhook',
      queues: [url('queues', queueId)],
      active: true,
      config: { url: 'https://hook.example.com', insecure_ssl: false },
    });
    expect(lineOf(await cli.run(hook, 'list'), id)).toEqual(
      expect.arrayContaining([String(id), 'Watcher', String(queueId)]),
    );
    await cli.run(
      hook,
      'change',
      id,
      ...type,
      ...options,
      '-n',
      'Renamed',
      '-e',
      'annotation_content',
      '--active',
      'false',
    );
    expect(await read()).toMatchObject({ name: 'Renamed', active: false, config: { url: 'https://hook.example.com' } });
    await cli.run(hook, 'delete', id, '--yes');
    expect((await api.request('GET', `/hooks/${id}`)).status).toBe(404);
  });

  it('extracts a document', async () => {
    const file = join(SAMPLES, 'invoice-en.pdf');
    const format = name === 'rossum' ? 'json' : 'xml';
    const printed = await cli.run('document', 'extract', organization.queueId, file, '--format', format);
    expect(printed).toContain(truth['invoice-en.pdf'].fields.document_id);
  });
});
