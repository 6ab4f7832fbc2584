import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canConnect } from '../ports.mjs';
import { PROGRAMS } from './programs.mjs';

const REPLICA_SET = 'intake';

/** MongoDB as a replica set of one: transactions and change streams need a replica set. */
export const mongodb = {
  name: 'mongodb',
  program: PROGRAMS.mongodb,
  defaultPort: 27117,

  /** @param {NodeJS.ProcessEnv} env */
  fromEnvironment(env) {
    return env.INTAKE_MONGODB_URL ? { url: env.INTAKE_MONGODB_URL } : undefined;
  },

  /** @param {import('./local.mjs').Place} place */
  describeRun({ port, dataDir, inContainer }) {
    const dbpath = join(dataDir, 'mongodb');
    mkdirSync(dbpath, { recursive: true });
    return {
      args: [
        ...['--dbpath', inContainer ? '/data/db' : dbpath],
        // Inside a container the outside port is the inside one too: the replica set's member is called by one address.
        ...['--port', String(port)],
        ...['--bind_ip', inContainer ? '0.0.0.0' : '127.0.0.1'],
        ...['--replSet', REPLICA_SET],
        ...['--oplogSize', '1024'],
        ...['--wiredTigerCacheSizeGB', '0.5'],
        // What a killed service held in a transaction is free again after this time (MongoDB's own choice is 60 s).
        ...['--setParameter', 'transactionLifetimeLimitSeconds=15'],
        ...(inContainer ? [] : ['--nounixsocket']),
      ],
      env: {},
      volumes: [[dbpath, '/data/db']],
      containerPort: port,
    };
  },

  /** @param {{port: number}} place */
  isListening: ({ port }) => canConnect('127.0.0.1', port),

  /** @param {{port: number, root: string}} place */
  async finish({ port, root }) {
    await initiateReplicaSet(root, `127.0.0.1:${port}`);
    return { url: `mongodb://127.0.0.1:${port}/?replicaSet=${REPLICA_SET}` };
  },
};

/** The driver is mongoose's own, so this runs after `npm ci`. */
async function initiateReplicaSet(root, member) {
  const fromProject = createRequire(join(root, 'packages/mongo/package.json'));
  const { MongoClient } = createRequire(fromProject.resolve('mongoose'))('mongodb');
  const client = new MongoClient(`mongodb://${member}/?directConnection=true`, { serverSelectionTimeoutMS: 20_000 });
  const deadline = Date.now() + 30_000;
  try {
    while (!(await becomePrimary(client.db('admin'), member))) {
      if (Date.now() > deadline) throw new Error('MongoDB did not become primary within 30 s; see the log of mongod');
      await sleep(50);
    }
  } finally {
    await client.close();
  }
}

/** One step towards it; true when it is reached. */
async function becomePrimary(admin, member) {
  try {
    if ((await admin.command({ hello: 1 })).isWritablePrimary) return true;
    const config = await readReplicaSetConfig(admin);
    if (!config) {
      await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host: member }] } });
    } else if (config.members[0].host !== member) {
      // The port changed since the last run.
      const moved = { ...config, members: [{ ...config.members[0], host: member }], version: config.version + 1 };
      await admin.command({ replSetReconfig: moved, force: true });
    }
  } catch (error) {
    if (error.name !== 'MongoNetworkError') throw error; // it closes all connections when its role changes
  }
  return false;
}

async function readReplicaSetConfig(admin) {
  try {
    return (await admin.command({ replSetGetConfig: 1 })).config;
  } catch (error) {
    if (error.codeName === 'NotYetInitialized') return undefined;
    throw error;
  }
}
