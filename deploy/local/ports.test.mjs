import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { holdPorts } from './ports.mjs';

const PORTS = new URL('./ports.mjs', import.meta.url).href;

test('no test run is given the ports of another one', async () => {
  const script = `import { holdPorts } from '${PORTS}'; console.log(JSON.stringify(await holdPorts())); setInterval(() => {}, 1000);`;
  const others = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  try {
    const given = await Promise.all(
      others.map(async ({ stdout }) => JSON.parse(String((await once(stdout, 'data'))[0]))),
    );
    given.push(await holdPorts());
    assert.equal(new Set(given.flatMap(Object.values)).size, 12);
  } finally {
    for (const other of others) other.kill();
  }
});
