/**
 * A service in a process of its own, for tests that kill it; runs on the built packages.
 * Modes: `relay` publishes the outbox of `sample`; `consume` dies in the middle of its first event when told to;
 * `work` takes a ticket and never ends it.
 */
const { createIndexes } = require('@intake/mongo');
const { runService } = require('@intake/service');
const { connectBackbone, startConsumer, startWorkers } = require('../dist');

const [mode] = process.argv.slice(2);
/** The test says the same. */
const LOST_MS = 3000;
const never = new Promise(() => undefined);

void runService('sample', { ...process.env, INTAKE_OPS_PORT: '0' }, async (runtime) => {
  const backbone = await connectBackbone(runtime, process.env);
  await createIndexes(backbone.database);
  if (mode === 'consume') {
    const on = (event) => async (session) => {
      const effects = backbone.database.connection.collection('effects');
      await effects.insertOne({ event: event.id, by: 'child' }, { session });
      process.send({ event: event.id });
      await never;
    };
    startConsumer(runtime, { ...backbone, delays: { lost: LOST_MS }, handlers: { 'organization.created': { on } } });
  }
  if (mode === 'work') {
    const work = async (ticket) => {
      process.send({ ticket: ticket.payload.annotationId });
      await never;
    };
    startWorkers(runtime, backbone.bus, 'jobs.extraction', 1, work, LOST_MS);
  }
  process.send({ ready: true });
});
