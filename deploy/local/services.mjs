/** The services in the order of their ports: rpc at base + index, ops at base + 50 + index. */
export const SERVICES = [
  'gateway',
  'auth',
  'queue',
  'document-storage',
  'annotation',
  'extraction',
  'mail-ingest',
  'extension',
  'export',
  'reporting',
];

const OPS_OFFSET = 50;

/**
 * @param {string} name
 * @param {number} basePort
 * @returns {{rpc: number | undefined, ops: number}} the gateway has no rpc server
 */
export function portsOf(name, basePort) {
  const index = SERVICES.indexOf(name);
  return { rpc: name === 'gateway' ? undefined : basePort + index, ops: basePort + OPS_OFFSET + index };
}

/**
 * The address under which a listener on `host` is reached from this machine.
 * @param {string} host
 */
export function reachableHost(host) {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

/**
 * Settings that all services share. What the user set stays as it is.
 * @param {NodeJS.ProcessEnv} env
 * @param {ReturnType<typeof import('./settings.mjs').readSettings>} settings
 * @param {{mongodbUrl: string, natsUrl: string, s3: {url: string, accessKey: string, secretKey: string, bucket: string}}} backing
 * @param {Record<string, string>} secrets
 * @returns {NodeJS.ProcessEnv}
 */
export function describeEnvironment(env, settings, backing, secrets) {
  const host = reachableHost(settings.host);
  const addresses = SERVICES.filter((name) => name !== 'gateway').map((name) => [
    `INTAKE_${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
    `${host}:${portsOf(name, settings.basePort).rpc}`,
  ]);
  return {
    INTAKE_MONGODB_PREFIX: 'intake',
    INTAKE_MAIL_DOMAIN: 'localhost',
    INTAKE_LOG_LEVEL: 'info',
    ...Object.fromEntries(addresses),
    ...secrets,
    ...withoutEmpty(env),
    INTAKE_HOST: settings.host,
    INTAKE_PORT: String(settings.port),
    INTAKE_SMTP_PORT: String(settings.smtpPort),
    INTAKE_LOCAL_BASE_PORT: String(settings.basePort),
    INTAKE_MONGODB_URL: backing.mongodbUrl,
    INTAKE_NATS_URL: backing.natsUrl,
    INTAKE_S3_URL: backing.s3.url,
    INTAKE_S3_ACCESS_KEY: backing.s3.accessKey,
    INTAKE_S3_SECRET_KEY: backing.s3.secretKey,
    INTAKE_S3_BUCKET: backing.s3.bucket,
  };
}

/**
 * The shared environment with what only this service needs.
 * @param {NodeJS.ProcessEnv} env made by `describeEnvironment`
 * @param {string} name
 * @returns {NodeJS.ProcessEnv}
 */
export function describeServiceEnvironment(env, name) {
  const { rpc, ops } = portsOf(name, Number(env.INTAKE_LOCAL_BASE_PORT));
  return { ...env, INTAKE_OPS_PORT: String(ops), ...(rpc === undefined ? {} : { INTAKE_RPC_PORT: String(rpc) }) };
}

/** A variable set to nothing is one that is not set. */
function withoutEmpty(env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}
