/**
 * A provider of OpenID Connect for tests: `node run-provider.mjs <port> <redirect URI> <client id> <client secret>
 * [how the client proves who it is]`. Everybody may
 * log in with any password. `POST /behave` sets, as JSON, who the accounts are and how it misbehaves:
 * `{accounts: {<login>: <claims>}, idToken: <claims that the ID token gets>, foreignKey: true, codeTtlS: <seconds>}`.
 */
import { sign as cryptoSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import Provider from 'oidc-provider';

const [port, redirectUri, clientId, clientSecret, method = 'client_secret_basic'] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;

const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const key = makeKey();
const foreignKey = makeKey();
const kid = randomUUID();

const behaviour = { accounts: {}, idToken: null, foreignKey: false, codeTtlS: 60 };

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      client_secret: method === 'none' ? undefined : clientSecret,
      token_endpoint_auth_method: method,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  clientAuthMethods: [method],
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name', 'given_name', 'family_name', 'preferred_username', 'unique_name', 'roles'],
  },
  cookies: { keys: [randomUUID()] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...behaviour.accounts[id] }) }),
  jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] },
  pkce: { required: () => true },
  ttl: {
    AuthorizationCode: () => behaviour.codeTtlS,
    AccessToken: 600,
    IdToken: 600,
    Session: 600,
    Grant: 600,
    Interaction: 600,
  },
});

/** The ID token again, as the behaviour wants it. */
function signAgain(token) {
  const [header, payload] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...behaviour.idToken };
  const text = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const signature = cryptoSign('sha256', Buffer.from(text), behaviour.foreignKey ? foreignKey : key);
  return `${text}.${signature.toString('base64url')}`;
}

provider.use(async (ctx, next) => {
  if (ctx.path === '/behave') {
    let text = '';
    for await (const chunk of ctx.req) text += chunk;
    Object.assign(behaviour, { idToken: null, foreignKey: false, codeTtlS: 60 }, JSON.parse(text));
    ctx.status = 204;
    return;
  }
  await next();
  if (ctx.path === '/token' && ctx.body?.id_token && (behaviour.idToken || behaviour.foreignKey))
    ctx.body.id_token = signAgain(ctx.body.id_token);
});

provider.listen(Number(port), '127.0.0.1');
