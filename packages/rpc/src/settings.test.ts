import { readRpcSettings } from './settings';

const addressOf = (address: string) =>
  readRpcSettings({ INTAKE_RPC_SECRET: 'secret', INTAKE_AUTH_ADDRESS: address }).addressOf('auth');

it.each([
  'auth:7400',
  '127.0.0.1:7400',
  '[::1]:7400',
  'intake-auth.intake.svc.cluster.local:7400',
  'dns:///intake-auth-headless:7400',
  'dns:intake-auth:7400',
  'ipv4:127.0.0.1:7400,127.0.0.1:7401',
  'ipv6:[::1]:7400,[::1]:7401',
])('a neighbour is found at %s', (address) => {
  expect(addressOf(address)).toBe(address);
});

it.each(['auth', 'http://auth:7400', 'auth:port', 'auth:7400,auth:7401', 'auth:7400/', ' auth:7400'])(
  'no neighbour is found at "%s"',
  (address) => {
    expect(() => addressOf(address)).toThrow(/INTAKE_AUTH_ADDRESS must be host:port/);
  },
);
