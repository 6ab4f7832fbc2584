import { randomBytes } from 'node:crypto';
import { type Backing, backing } from './backing';
import { dropDatabases } from './databases.store';
import { dropBucket, dropStreams } from './leftovers';

/** Settings of services under test: variable -> value. */
export type ServiceEnv = Readonly<Record<string, string>>;

let counter = 0;

/** A name no other test uses: `<prefix>_<random>`, letters, digits and underscores. */
export function uniqueName(prefix: string): string {
  counter += 1;
  return `${prefix}_${randomBytes(4).toString('hex')}${counter}`;
}

/**
 * Settings for one or more services that share nothing with other tests: own databases, streams, bucket and secret, free
 * ports, few log lines (`INTAKE_TEST_LOG_LEVEL` shows more). `overrides` wins; `INTAKE_<NAME>_ADDRESS` of neighbours go there.
 */
export function serviceEnv(overrides: ServiceEnv = {}, addresses: Backing = backing()): ServiceEnv {
  const name = uniqueName('t');
  return {
    INTAKE_HOST: '127.0.0.1',
    INTAKE_RPC_PORT: '0',
    INTAKE_OPS_PORT: '0',
    INTAKE_LOG_LEVEL: process.env.INTAKE_TEST_LOG_LEVEL ?? 'silent',
    INTAKE_RPC_SECRET: randomBytes(16).toString('hex'),
    INTAKE_MONGODB_URL: addresses.mongodbUrl,
    INTAKE_MONGODB_PREFIX: name,
    INTAKE_NATS_URL: addresses.natsUrl,
    INTAKE_NATS_PREFIX: name,
    INTAKE_S3_URL: addresses.s3.url,
    INTAKE_S3_ACCESS_KEY: addresses.s3.accessKey,
    INTAKE_S3_SECRET_KEY: addresses.s3.secretKey,
    INTAKE_S3_BUCKET: name.replaceAll('_', '-'),
    ...overrides,
  };
}

/** Removes the databases, streams and the bucket of an environment made by `serviceEnv`; for `afterAll`. */
export async function dropTestData(env: ServiceEnv): Promise<void> {
  const results = await Promise.allSettled([
    dropDatabases(read(env, 'INTAKE_MONGODB_URL'), `${read(env, 'INTAKE_MONGODB_PREFIX')}_`),
    dropStreams(read(env, 'INTAKE_NATS_URL'), `${read(env, 'INTAKE_NATS_PREFIX')}-`, env.NODE_EXTRA_CA_CERTS),
    dropBucket(
      {
        url: read(env, 'INTAKE_S3_URL'),
        accessKey: read(env, 'INTAKE_S3_ACCESS_KEY'),
        secretKey: read(env, 'INTAKE_S3_SECRET_KEY'),
      },
      read(env, 'INTAKE_S3_BUCKET'),
    ),
  ]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

function read(env: ServiceEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is missing in this environment`);
  return value;
}
