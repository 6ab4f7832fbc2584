import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEnvironment, describeServiceEnvironment, portsOf, reachableHost, SERVICES } from './services.mjs';
import { readSettings } from './settings.mjs';

const BACKING = {
  mongodbUrl: 'mongodb://127.0.0.1:1/',
  natsUrl: 'nats://127.0.0.1:2',
  s3: { url: 'http://127.0.0.1:3', accessKey: 'a', secretKey: 's', bucket: 'b' },
};

function describe(env, secrets = {}) {
  return describeEnvironment(env, readSettings(env), BACKING, secrets);
}

test('no two servers share a port', () => {
  const ports = SERVICES.flatMap((name) => Object.values(portsOf(name, 7400))).filter(Boolean);
  assert.equal(ports.length, 2 * SERVICES.length - 1);
  assert.equal(new Set(ports).size, ports.length);
});

test('each service listens where the others look for it', () => {
  const env = describe({ INTAKE_LOCAL_BASE_PORT: '9000' });
  const own = describeServiceEnvironment(env, 'document-storage');
  assert.equal(env.INTAKE_DOCUMENT_STORAGE_ADDRESS, `127.0.0.1:${own.INTAKE_RPC_PORT}`);
  assert.equal(own.INTAKE_OPS_PORT, '9053');
  assert.equal(describeServiceEnvironment(env, 'gateway').INTAKE_RPC_PORT, undefined);
});

test('what the user sets passes through and wins over secrets and defaults; empty means not set', () => {
  const secrets = { INTAKE_ADMIN_EMAIL: 'kept@example.com' };
  assert.equal(describe({}, secrets).INTAKE_ADMIN_EMAIL, 'kept@example.com');
  const given = {
    INTAKE_ADMIN_EMAIL: 'me@example.com',
    INTAKE_AUTH_ADDRESS: 'auth:1',
    INTAKE_MAIL_DOMAIN: '',
    OTHER: 'x',
  };
  const env = describe(given, secrets);
  assert.equal(env.INTAKE_ADMIN_EMAIL, 'me@example.com');
  assert.equal(env.INTAKE_AUTH_ADDRESS, 'auth:1');
  assert.equal(env.INTAKE_MAIL_DOMAIN, 'localhost');
  assert.equal(env.OTHER, 'x');
});

test('a listener on all addresses is reached on loopback', () => {
  assert.equal(reachableHost('0.0.0.0'), '127.0.0.1');
  assert.equal(reachableHost('10.0.0.7'), '10.0.0.7');
});

test('a wrong port is named', () => {
  for (const value of ['abc', '0', '65536', '80.5']) {
    assert.throws(() => readSettings({ INTAKE_PORT: value }), /INTAKE_PORT must be a port number/);
  }
});
