import { changeOidcSettings, DEFAULT_OIDC_SETTINGS } from './oidc-settings';

const given = { issuer: 'https://id.example.com/realm', clientId: 'intake', clientSecret: 'secret' };
const set = changeOidcSettings(DEFAULT_OIDC_SETTINGS, { ...given, enabled: true }).settings;

it('changes what is given and keeps the rest, the secret too', () => {
  expect(set).toEqual({ ...given, enabled: true, claim: 'email', autoProvisioning: false });
  expect(changeOidcSettings(set, {})).toEqual({ settings: set, problems: null });
  expect(changeOidcSettings(set, { claim: 'sub' })).toEqual({ settings: { ...set, claim: 'sub' }, problems: null });
  expect(changeOidcSettings(set, { clientSecret: '' }).settings.clientSecret).toBe('');
});

it('needs provider and client id when it is switched on', () => {
  const needed = ['Single sign-on needs it.'];
  const on = changeOidcSettings(DEFAULT_OIDC_SETTINGS, { enabled: true });
  expect(on.problems).toEqual({ issuer: needed, client_id: needed });
  expect(changeOidcSettings(set, { issuer: '' }).problems).toEqual({ issuer: needed });
  expect(changeOidcSettings(set, { issuer: '', clientId: '', enabled: false }).problems).toBeNull();
});

it.each([
  'id.example.com',
  'ftp://id.example.com',
  'https://user:password@id.example.com',
  'https://id.example.com?tenant=1',
  'https://id.example.com#x',
  'https://id.example.com/.well-known/openid-configuration',
  `https://id.example.com/${'x'.repeat(2000)}`,
])('does not take %s for an issuer', (issuer) => {
  expect(changeOidcSettings(set, { issuer }).problems).toEqual({ issuer: [expect.any(String)] });
});

it('takes plain http, which is judged when it is called', () => {
  expect(changeOidcSettings(set, { issuer: 'http://10.0.0.1:8080' }).problems).toBeNull();
});

it('knows four claims', () => {
  expect(changeOidcSettings(set, { claim: 'phone' }).problems).toEqual({ claim: ['"phone" is not a valid choice.'] });
});
