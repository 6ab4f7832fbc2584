/** A worker that does what hostile documents make real ones do. Needs the built package. */
const { spawn } = require('node:child_process');
const { serveJobs } = require('../dist/index.js');

const held = [];
let prepared = null;

serveJobs(
  {
    echo: (input) => input,
    pid: () => process.pid,
    env: () => process.env,
    wait: (ms) => new Promise((resolve) => setTimeout(() => resolve(process.pid), ms)),
    loop: () => {
      for (;;);
    },
    fillMemory: async () => {
      for (;;) {
        held.push(Buffer.alloc(20e6, 1));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    swell: (bytes) => {
      held.push(Buffer.alloc(bytes, 1));
      return process.pid;
    },
    die: () => {
      process.stderr.write('about to die\n', () => process.kill(process.pid, 'SIGKILL'));
      return new Promise(() => {});
    },
    fail: () => {
      throw Object.assign(new RangeError('Too odd'), { reason: 'odd', name: 'OddError' });
    },
    spawnAndLoop: (file) => {
      const child = spawn('sleep', ['600'], { stdio: 'ignore' });
      require('node:fs').writeFileSync(file, String(child.pid));
      for (;;);
    },
    folder: (_, folder) => folder,
    prepared: () => prepared,
  },
  (input) => {
    prepared = input;
    held.push(Buffer.alloc(input.bytes, 1));
  },
);
