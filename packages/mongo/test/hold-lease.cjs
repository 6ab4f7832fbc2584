/** Takes a lease and renews it until it is killed; runs on the built package. */
const { runService } = require('@intake/service');
const { connectDatabase, createLeases } = require('../dist');

const [url, prefix, name, ttl] = process.argv.slice(2);

void runService('sample-service', { INTAKE_LOG_LEVEL: 'silent' }, async (runtime) => {
  const database = await connectDatabase(runtime, { url, prefix });
  const lease = await createLeases(database).acquire(name, Number(ttl));
  if (!lease) throw new Error('another holds the lease');
  setInterval(() => lease.renew(), Number(ttl) / 3);
  process.send?.('held');
});
