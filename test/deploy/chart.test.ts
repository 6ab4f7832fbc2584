import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '@intake/testkit';

/** What `helm install` would create, over several files of values. */

const CHART = join(__dirname, '../../helm/intake');
const VALUES = ['', ...readdirSync(join(CHART, 'ci')).map((name) => join(CHART, 'ci', name))];
const SERVICES = [
  ...['annotation', 'auth', 'document-storage', 'export', 'extension', 'extraction', 'gateway', 'mail-ingest', 'queue'],
  'reporting',
];

function programOf(variable: string): string {
  const problem = process.env[`${variable}_PROBLEM`];
  const path = process.env[variable];
  if (!path) throw new Error(problem ?? `${variable} is not set: run the tests with "npm test"`);
  return path;
}

async function helm(...args: string[]): Promise<{ ok: boolean; output: string }> {
  try {
    const { stdout } = await promisify(execFile)(programOf('INTAKE_TEST_HELM'), args, { maxBuffer: 16_000_000 });
    return { ok: true, output: stdout };
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    return { ok: false, output: `${stdout}${stderr || message}` };
  }
}

/** The objects that the chart makes, checked against the schemas of Kubernetes. */
async function render(values: string, ...sets: string[]): Promise<Json[]> {
  const files = values === '' ? [] : ['--values', values];
  const more = sets.flatMap((set) => ['--set', set]);
  const { ok, output } = await helm('template', 'x', CHART, '--kube-version', '1.34.0', ...files, ...more);
  if (!ok) throw new Error(output);
  const python = programOf('INTAKE_TEST_KUBERNETES_PYTHON');
  const checked = spawnSync(python, [join(__dirname, 'check_manifests.py')], { input: output, maxBuffer: 64_000_000 });
  if (checked.status !== 0) throw new Error(String(checked.stderr));
  const { documents, problems } = JSON.parse(String(checked.stdout)) as { documents: Json[]; problems: string[] };
  expect(problems).toEqual([]);
  return documents;
}

const SCALED = 'services.gateway.autoscaling';

const ofKind = (objects: readonly Json[], kind: string) => objects.filter((object) => object.kind === kind);
const nameOf = ({ metadata }: Json): string => metadata.name;

describe.each(VALUES.map((path) => [path.split('/').pop() || 'defaults', path]))('%s', (_name, values) => {
  it('passes helm lint', async () => {
    const { ok, output } = await helm('lint', '--strict', CHART, ...(values === '' ? [] : ['--values', values]));
    expect(ok ? '' : output).toBe('');
  });

  it('is valid, each service with the least rights and with probes', async () => {
    const deployments = ofKind(await render(values), 'Deployment');
    expect(deployments.map((one) => one.metadata.labels['app.kubernetes.io/component']).sort()).toEqual(SERVICES);
    for (const { spec } of deployments) {
      const { containers, ...pod } = spec.template.spec;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of containers) {
        expect(container).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          startupProbe: { httpGet: { path: '/healthz' } },
          livenessProbe: { httpGet: { path: '/healthz' } },
          readinessProbe: { httpGet: { path: '/readyz' } },
          resources: { requests: expect.anything(), limits: { memory: expect.any(String) } },
        });
      }
    }
  });

  it('takes secrets from Secrets that are there, and makes none', async () => {
    const objects = await render(values);
    expect(ofKind(objects, 'Secret')).toEqual([]);
    for (const { spec } of ofKind(objects, 'Deployment'))
      for (const { name, value } of spec.template.spec.containers[0].env as Json[])
        expect({
          name,
          inTheOpen:
            /SECRET|PASSWORD|MONGODB_URL|NATS_URL|KEY$/.test(name) && value !== undefined && !value.startsWith('/etc/'),
        }).toEqual({
          name,
          inTheOpen: false,
        });
  });

  it('selects the pods of each Service, budget and policy by labels that they have', async () => {
    const objects = await render(values);
    const pods = ofKind(objects, 'Deployment').map(({ spec }) => spec.template.metadata.labels as Json);
    const selectors = [
      ...ofKind(objects, 'Service').map(({ spec }) => spec.selector),
      ...ofKind(objects, 'PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind(objects, 'NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
    ] as Json[];
    for (const selector of selectors) {
      const selected = pods.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      );
      expect(selected).toHaveLength(1);
    }
  });
});

it('a service with several replicas may lose one at a time; one alone has no budget that would hold up a drain', async () => {
  const objects = await render('', 'services.export.replicas=3', 'services.queue.replicas=1');
  const budgets = ofKind(objects, 'PodDisruptionBudget').map(nameOf);
  expect(budgets).toEqual(expect.arrayContaining(['x-intake-export', 'x-intake-gateway']));
  expect(budgets).not.toContain('x-intake-queue');
});

it('a pod of extraction has the memory for all documents that it reads at the same time', async () => {
  const deployments = ofKind(await render(''), 'Deployment');
  const { spec } = deployments.find((one) => /extraction$/.test(nameOf(one))) as Json;
  const { env, resources } = spec.template.spec.containers[0];
  const { value } = (env as Json[]).find(({ name }) => name === 'INTAKE_EXTRACTION_CONCURRENCY') as Json;
  const limitGi = Number(/^(\d+)Gi$/.exec(resources.limits.memory)?.[1]);
  expect(Number(value) * 1.5e9).toBeLessThan(limitGi * 2 ** 30);
});

it('what is scaled by itself has no fixed number of replicas', async () => {
  const objects = await render('', 'services.gateway.autoscaling.enabled=true', 'keda.enabled=true');
  const replicas = Object.fromEntries(ofKind(objects, 'Deployment').map((one) => [nameOf(one), one.spec.replicas]));
  expect(replicas).toMatchObject({ 'x-intake-auth': 2 });
  expect([replicas['x-intake-gateway'], replicas['x-intake-extraction']]).toEqual([undefined, undefined]);
  expect(ofKind(objects, 'HorizontalPodAutoscaler').map(nameOf)).toEqual(['x-intake-gateway']);
  expect(ofKind(objects, 'ScaledObject')).toHaveLength(1);
});

it('certificates and authorities are mounted where the services are told to look for them', async () => {
  const objects = await render(
    '',
    ...['rpc.tls.existingSecret=rpc-tls', 'caBundle.existingConfigMap=ca', 'smtp.tls.existingSecret=smtp-tls'],
    ...['firstAdmin.enabled=true', 'smtpRelay.existingSecret=relay', 'publicUrl=https://intake.example.com'],
  );
  const pods = [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')];
  for (const { metadata, spec } of pods) {
    const [container] = spec.template.spec.containers;
    const env = Object.fromEntries(container.env.map(({ name, value }: Json) => [name, value]));
    const isMail = /mail-ingest$/.test(metadata.name);
    const files = ['INTAKE_RPC_TLS_CA', 'INTAKE_RPC_TLS_CERT', 'INTAKE_RPC_TLS_KEY', 'NODE_EXTRA_CA_CERTS'];
    for (const name of [...files, ...(isMail ? ['INTAKE_SMTP_TLS_CERT', 'INTAKE_SMTP_TLS_KEY'] : [])]) {
      const mount = container.volumeMounts.find(({ mountPath }: Json) => env[name]?.startsWith(`${mountPath}/`));
      const volume = spec.template.spec.volumes.find((one: Json) => one.name === mount?.name);
      expect([metadata.name, name, volume?.secret?.secretName ?? volume?.configMap?.name]).toEqual([
        metadata.name,
        name,
        name.startsWith('INTAKE_RPC') ? 'rpc-tls' : isMail && name.startsWith('INTAKE_SMTP') ? 'smtp-tls' : 'ca',
      ]);
    }
    expect([metadata.name, 'INTAKE_SMTP_RELAY_URL' in env]).toEqual([
      metadata.name,
      /(auth|mail-ingest)$/.test(metadata.name),
    ]);
  }
});

it('with rules for the way out, each service reaches DNS, the others, and those alone', async () => {
  const open = ofKind(await render(''), 'NetworkPolicy');
  expect(open.map(({ spec }) => spec.policyTypes)).toEqual(SERVICES.map(() => ['Ingress']));
  const rule = 'networkPolicy.egress[0].ports[0].port=27017';
  for (const { spec } of ofKind(await render('', rule), 'NetworkPolicy')) {
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    const ports = spec.egress.flatMap((one: Json) => one.ports.map(({ port }: Json) => port));
    expect(ports).toEqual([53, 53, 'grpc', 27017]);
  }
});

it('each variable is there once, and what the values say wins over the chart', async () => {
  const own = ['INTAKE_TRUST_PROXY=10.0.0.0/8', 'INTAKE_LOG_LEVEL=debug'].map((one) => `services.gateway.env.${one}`);
  const secret = ['name=INTAKE_MONGODB_URL', 'secret=other', 'key=k'].map((one) => `secretEnv[0].${one}`);
  const objects = await render('', 'ingress.enabled=true', 'firstAdmin.enabled=true', ...own, ...secret);
  for (const { metadata, spec } of [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')]) {
    const env = spec.template.spec.containers[0].env as Json[];
    const names = env.map(({ name }) => name);
    expect({ pod: metadata.name, names }).toEqual({ pod: metadata.name, names: [...new Set(names)] });
    expect(env.find(({ name }) => name === 'INTAKE_MONGODB_URL')?.valueFrom.secretKeyRef.name).toBe('other');
    if (!/gateway$/.test(metadata.name)) continue;
    expect(env).toContainEqual({ name: 'INTAKE_TRUST_PROXY', value: '10.0.0.0/8' });
    expect(env).toContainEqual({ name: 'INTAKE_LOG_LEVEL', value: 'debug' });
  }
});

it('numbers of a file of values reach the services as they are written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'intake-values-'));
  const file = join(folder, 'values.yaml');
  writeFileSync(file, 'env: { INTAKE_EXTRACTION_MEMORY_BYTES: 3000000000, INTAKE_PUBLIC_URL: "https://a.example" }\n');
  try {
    for (const { spec } of ofKind(await render(file), 'Deployment')) {
      const { env } = spec.template.spec.containers[0];
      expect(env).toContainEqual({ name: 'INTAKE_EXTRACTION_MEMORY_BYTES', value: '3000000000' });
      expect(env).toContainEqual({ name: 'INTAKE_PUBLIC_URL', value: 'https://a.example' });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the pod that makes the first admin may run where the services may', async () => {
  const where = ['nodeSelector.pool=intake', 'tolerations[0].key=intake', 'priorityClassName=high', 'podLabels.team=a'];
  const objects = await render('', 'firstAdmin.enabled=true', ...where.map((one) => `defaults.${one}`));
  const pods = [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')];
  expect(pods).toHaveLength(SERVICES.length + 1);
  for (const { spec } of pods)
    expect(spec.template).toMatchObject({
      metadata: { labels: { team: 'a' } },
      spec: { nodeSelector: { pool: 'intake' }, tolerations: [{ key: 'intake' }], priorityClassName: 'high' },
    });
});

it('keys of the environment come from Secrets', async () => {
  const values = ['name=INTAKE_ENCRYPTION_KEY', 'secret=s', 'key=k'].map((one) => `secretEnv[0].${one}`);
  for (const { spec } of ofKind(await render('', ...values), 'Deployment'))
    expect(spec.template.spec.containers[0].env).toContainEqual({
      name: 'INTAKE_ENCRYPTION_KEY',
      valueFrom: { secretKeyRef: { name: 's', key: 'k' } },
    });
});

it.each([
  ['a replica count that is a text', 'services.gateway.replicas=many'],
  ['a value that is not known', 'services.gateway.replica=2'],
  ['a service that is not known', 'services.gatewai.replicas=2'],
  ['labels that are no texts', 'services.gateway.podLabels.a.b=c'],
  ['a relay without the URL for the links in its mails', 'smtpRelay.existingSecret=relay', 'publicUrl'],
  ['a prefix that streams cannot have', 'nats.prefix=a.b', 'prefix'],
  ['a bucket that no store takes', 's3.bucket=My_Bucket', 'bucket'],
  ['an object store with a path', 's3.url=https://s3.example.com/bucket', 'url'],
  ['a mail domain that is none', 'mailDomain=@example.com', 'mailDomain'],
  ['an address for traces that is no URL', 'otlpEndpoint=collector:4318', 'otlpEndpoint'],
  ['a network that is none', 'networkPolicy.smtpFromCidrs[0]=example.com', 'smtpFromCidrs'],
  ['a selector that selects everything', 'networkPolicy.gatewayFromNamespaces[0].matchLabel.a=b', 'matchLabel'],
  ['TLS of an ingress without its Secret', 'ingress.tls[0].secret=x', 'tls'],
  ['a size that is none', 'defaults.tmpSize=big', 'tmpSize'],
  ['a memory that is none', 'services.extraction.resources.limits.memory=4GB', 'memory'],
  ['a processor that is none', 'defaults.resources.requests.cpu=half', 'cpu'],
  ['fewer replicas at most than at least', `${SCALED}.enabled=true,${SCALED}.minReplicas=7`, 'minReplicas is above'],
  ['the same with KEDA', 'keda.enabled=true,keda.minReplicas=50,keda.maxReplicas=2', 'minReplicas is above'],
])('refuses %s', async (_what, set, says = 'services') => {
  const { ok, output } = await helm('template', 'x', CHART, '--kube-version', '1.34.0', '--set', set);
  expect({ ok, said: output.includes(says) }).toEqual({ ok: false, said: true });
});

it('refuses an ingress without a host, which no cluster takes', async () => {
  const { ok, output } = await helm('template', 'x', CHART, '--set-json', 'ingress={"enabled":true,"hosts":[]}');
  expect({ ok, said: output.includes('/ingress/hosts') }).toEqual({ ok: false, said: true });
});

it('the alerts of a release look at no other release', async () => {
  const [{ metadata, spec } = {} as Json] = ofKind(await render('', 'metrics.alerts.enabled=true'), 'PrometheusRule');
  expect(metadata.name).toBe('x-intake');
  const expressions = spec.groups.flatMap(({ rules }: Json) => rules.map(({ expr }: Json) => expr as string));
  const used = expressions.flatMap(
    (expr: string) => expr.match(/\b(?:intake|process)_\w+(?:\{.*?\}(?=[[) ]))?/g) ?? [],
  );
  expect(used.length).toBeGreaterThanOrEqual(expressions.length);
  const own = `namespace="default",job=~"x-intake-(${SERVICES.join('|')})"}`;
  expect(used.filter((one: string) => !one.endsWith(own))).toEqual([]);
});

it('the dashboard and the alerts use metrics that the services have', () => {
  const sources = readSources(join(__dirname, '../..'));
  for (const file of ['dashboard.json', 'alerts.yaml']) {
    const used = readFileSync(join(CHART, 'files', file), 'utf8').match(/\bintake_[a-z0-9_]+/g) ?? [];
    expect(used.length).toBeGreaterThan(0);
    const unknown = [...new Set(used)].filter((name) => !sources.includes(name.replace(/_(?:bucket|sum|count)$/, '')));
    expect({ file, unknown }).toEqual({ file, unknown: [] });
  }
});

/** All TypeScript of packages and services, as one text. */
function readSources(root: string): string {
  const texts: string[] = [];
  for (const group of ['packages', 'services'])
    for (const member of readdirSync(join(root, group))) {
      const folder = join(root, group, member, 'src');
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
        if (entry.isFile() && entry.name.endsWith('.ts'))
          texts.push(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    }
  return texts.join('\n');
}
