import { backing, type NatsCluster, startNatsCluster, startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { type ClusterInfo, connect } from 'nats';
import { describeLong, Ledger, LOAD, report } from './ledger';

/** F2 with three servers: the others go on. */

jest.setTimeout(600_000);

describeLong('F2 with three servers', () => {
  let nats: NatsCluster;
  let system: TestSystem;

  beforeAll(async () => {
    nats = await startNatsCluster();
    system = await startSystem({ backing: { ...backing(), natsUrl: nats.url } });
  });
  afterAll(async () => {
    await system?.stop();
    await nats?.stop();
  });

  it('each of three servers of NATS killed, and its data deleted: the others go on, nothing is lost, twice or stuck', async () => {
    const ledger = await Ledger.open(system);
    const load = ledger.sendLoad(LOAD);
    const wholeMs: number[] = [];
    for (const [i, server] of nats.servers.entries()) {
      await ledger.waitForSome(2 * (i + 1));
      await server.kill();
      server.wipe();
      const answers = await ledger.sendMany(3);
      expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
      await ledger.expectAllArrived();
      await server.restart();
      const restarted = Date.now();
      const isAllThere = () => isWhole(nats, system.env.INTAKE_NATS_PREFIX ?? '');
      await waitFor('every stream to be on every server', isAllThere, { timeoutMs: 120_000 });
      wholeMs.push(Date.now() - restarted);
    }
    await load;
    await ledger.expectAllWell();
    report('F2, three servers', { documents: ledger.entries.length, retries: ledger.retries, wholeMs });
  });
});

/** Whether all streams and consumers of the system have three replicas that know all: before that, no other server may be missing. */
async function isWhole(nats: NatsCluster, prefix: string): Promise<boolean> {
  const connection = await connect({ servers: nats.url.split(',') });
  try {
    const manager = await connection.jetstreamManager({ timeout: 5000 });
    const clusters: (ClusterInfo | undefined)[] = [];
    for await (const { config, cluster } of manager.streams.list()) {
      if (!config.name.startsWith(`${prefix}-`)) continue;
      clusters.push(cluster);
      for await (const consumer of manager.consumers.list(config.name)) clusters.push(consumer.cluster);
    }
    return clusters.every((one) => one?.replicas?.length === 2 && one.replicas.every(({ current }) => current));
  } finally {
    await connection.close();
  }
}
