import { Refusal } from '@intake/rpc';
import { type Outgoing, OutgoingError } from '@intake/untrusted';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { OidcSettings } from './oidc-settings';

/** What a login at a provider begins with and is recognised by. */
export interface Challenge {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: the provider gets its hash first, and itself with the code. */
  readonly codeVerifier: string;
}

/** What a provider says of a user. */
export type Claims = Readonly<Record<string, unknown>>;

/** Speaks OpenID Connect with providers. What goes wrong there is a refusal with a text for the person who logs in. */
export interface Providers {
  /** Where the browser is sent to. */
  authorizationUrl(settings: OidcSettings, challenge: Challenge): Promise<string>;
  /**
   * Checks the provider's answer, trades its code for an ID token, checks that (signature, `iss`, `aud`, `exp`, `nonce`) and answers
   * its claims, with those of the userinfo endpoint where the ID token lacks the one that is wanted or the e-mail address.
   *
   * @param query of the URL that the browser came back with
   */
  redeem(settings: OidcSettings, challenge: Challenge, query: string): Promise<Claims>;
}

const CALL_MS = 6000;
const MAX_BYTES = 1024 * 1024;

/** @param outgoing every call to a provider goes through it; plain http only to listed networks */
export function createProviders(outgoing: Outgoing): Providers {
  const fetch = toFetch(outgoing);

  // Asked each time: logins are rare, and what the provider changes, keys above all, counts at once.
  const discover = async ({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> => {
    const server = new URL(issuer);
    const configuration = await discovery(server, clientId, {}, authenticateBy(clientSecret), {
      [customFetch]: fetch,
      timeout: (2 * CALL_MS) / 1000,
      // Whether plain http may be called is decided by `outgoing`, by address.
      execute: [allowInsecureRequests, enableNonRepudiationChecks],
    });
    const own = configuration.serverMetadata().issuer;
    // The library lets some well-known providers answer for any of their tenants.
    if (new URL(own).href !== server.href) throw refuse(`The provider calls itself ${own}: set that as the issuer.`);
    return configuration;
  };

  return {
    authorizationUrl: (settings, { redirectUri, state, nonce, codeVerifier }) =>
      explain(async () => {
        const configuration = await discover(settings);
        const url = buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        });
        if (!/^https?:$/.test(url.protocol)) throw refuse('The address of the provider’s login is not a web address.');
        return url.href;
      }),

    redeem: (settings, { redirectUri, state, nonce, codeVerifier }, query) =>
      explain(async () => {
        const configuration = await discover(settings);
        const url = new URL(redirectUri);
        url.search = query;
        const tokens = await authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims: Claims = { ...tokens.claims() };
        const isComplete = claims[settings.claim] !== undefined && claims.email !== undefined;
        if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims;
        return { ...(await fetchUserInfo(configuration, tokens.access_token, String(claims.sub))), ...claims };
      }),
  };
}

/** As the provider says it takes the secret, in the header where it takes both. */
function authenticateBy(secret: string): ClientAuth {
  if (secret === '') return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
  };
}

function toFetch(outgoing: Outgoing): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await outgoing({
      url,
      method,
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      signal,
      timeoutMs: CALL_MS,
      maxBytes: MAX_BYTES,
    });
    const pairs = Object.entries(answer.headers).flatMap(([name, value = []]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    const isEmpty = [204, 205, 304].includes(answer.status);
    return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: pairs });
  };
}

function refuse(detail: string, cause?: unknown): Refusal {
  return new Refusal('INVALID', { detail, cause });
}

async function explain<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw error instanceof Refusal ? error : refuse(describe(error), error);
  }
}

/** What a person may do something about, of an error of the library. */
function describe(error: unknown): string {
  const chain = causesOf(error);
  const unreached = chain.find((one) => one instanceof OutgoingError);
  if (unreached) return `The provider of single sign-on cannot be asked: ${unreached.message}`;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const reason = [error.error, error.error_description].filter(Boolean).join(': ');
    return `The provider of single sign-on refused: ${reason.slice(0, 300)}`;
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return `The provider of single sign-on refused with status ${error.status}: are client id and client secret right?`;
  const status = chain.find((one) => one instanceof Response)?.status;
  // The innermost says most.
  const message = chain.findLast((one) => one instanceof Error)?.message ?? 'unknown';
  const more = status ? ` (status ${status})` : '';
  return `The answer of the provider of single sign-on is not valid: ${message}${more}.`;
}

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one && chain.length < 10; one = (one as { cause?: unknown }).cause) chain.push(one);
  return chain;
}
