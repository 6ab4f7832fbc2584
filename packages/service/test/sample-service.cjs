/** A service for the tests of `runAsProcess`; runs on the built package. */
const { readConfig, runAsProcess, runService, text } = require('../dist');

const [mode] = process.argv.slice(2);

void runAsProcess((env) =>
  runService('sample', env, async (runtime) => {
    if (mode === 'fails') readConfig({}, { sample: text('INTAKE_SAMPLE', 'what it is for') });
    runtime.onStop('work', async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.log('in flight: done');
    });
  }),
);
