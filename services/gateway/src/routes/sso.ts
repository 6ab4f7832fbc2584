import { Refusal } from '@intake/rpc';
import { isHttps, startSession } from '../request/cookies';
import { makeLoginCookie, readLoginCookie } from '../request/login-cookie';
import { readUiPath, uiRootOf } from '../request/ui-path';
import { Answer, route } from '../route';
import type { RouteContext } from './index';

/** Several calls to a provider, which may be slow. */
const TIMEOUT_MS = 30_000;
/** Neither the address with the code nor the one with the token is kept or told to others. */
const PRIVATE = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

/** Login at the provider of an organization, and the way back. API: auth.md section 6. */
export function ssoRoutes({ services: { auth }, sessions }: RouteContext) {
  return [
    route('GET', '/oauth', {
      allow: 'public',
      doc: {
        summary: 'Whether there is a login at a provider, and whether the organization has to be named for it',
        answer: {
          type: 'object',
          required: ['single_sign_on', 'organization_required'],
          properties: { single_sign_on: { type: 'boolean' }, organization_required: { type: 'boolean' } },
        },
        status: 200,
      },
      call: (_, self) => auth.offerSso({}, self),
      reply: ({ offered, organizationRequired }) => ({
        single_sign_on: offered,
        organization_required: organizationRequired,
      }),
    }),
    route('GET', '/oauth/login', {
      allow: 'public',
      doc: {
        summary: 'Send the browser to the login of the organization’s provider',
        query: [
          {
            name: 'organization',
            schema: { type: 'integer' },
            description: 'Needed where several have single sign-on.',
          },
          { name: 'next', schema: { type: 'string', default: '/' }, description: 'Path of this site to come back to.' },
        ],
        status: 302,
      },
      timeoutMs: TIMEOUT_MS,
      call: async ({ query, urls }, self) => {
        const organization = query.get('organization');
        if (organization && !/^\d{1,15}$/.test(organization)) query.refuse('organization', 'Enter a valid value.');
        const next = readUiPath(query.get('next') ?? '/', urls);
        if (next === null) query.refuse('next', 'It must be a path of this site, such as /queues.');
        query.check();
        return auth.startSso(
          {
            organizationId: organization === undefined ? undefined : Number(organization),
            redirectUri: `${urls.root}/oauth/code`,
            next: next ?? '/',
          },
          self,
        );
      },
      reply: ({ authorizationUrl, state, browserKey }, { urls }) =>
        new Answer(302, {
          ...PRIVATE,
          Location: authorizationUrl,
          'Set-Cookie': makeLoginCookie(state, browserKey, urls),
        }),
    }),
    route('GET', '/oauth/code', {
      allow: 'public',
      doc: {
        summary: 'Where the provider sends the browser back to, with a one-time token in the fragment of the next page',
        query: ['code', 'state'].map((name) => ({ name, schema: { type: 'string' } })),
        status: 302,
      },
      timeoutMs: TIMEOUT_MS,
      call: async ({ query, http }, self) => {
        const state = query.get('state') ?? '';
        const browserKey = readLoginCookie(http.headers.cookie, state);
        if (!state || !browserKey) throw new Refusal('INVALID', { detail: NOT_BEGUN });
        return { ...(await auth.finishSso({ query: query.text, browserKey, withSession: sessions }, self)), state };
      },
      reply: ({ oneTimeKey, next, state, session }, { urls }) =>
        new Answer(302, {
          ...PRIVATE,
          Location: `${uiRootOf(urls)}${next}#authToken=${oneTimeKey}`,
          'Set-Cookie': [
            makeLoginCookie(state, '', urls),
            ...(session ? startSession(session.key, session.lifetimeS, isHttps(urls)) : []),
          ],
        }),
    }),
  ];
}

const NOT_BEGUN =
  'This login did not begin in this browser, or took longer than ten minutes. Please begin again, with cookies allowed.';
