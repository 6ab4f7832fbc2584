import type { ApiUrls } from '@intake/urls';
import { hash } from '../auth';
import { readCookie } from './cookies';

/** As long as a login at a provider may take. */
const LIFE_S = 600;

/** One for each login, so that several tabs may log in beside each other. */
function nameOf(state: string): string {
  return `oauth_${hash(state).slice(0, 16)}`;
}

/** The `Set-Cookie` that ties a login at a provider to the browser that began it; an empty value removes it. */
export function makeLoginCookie(state: string, value: string, { root }: Pick<ApiUrls, 'root'>): string {
  const { protocol, pathname } = new URL(root);
  const life = value === '' ? 0 : LIFE_S;
  // Lax: the provider sends the browser back from another site.
  const text = `${nameOf(state)}=${value}; Path=${pathname}/oauth; Max-Age=${life}; HttpOnly; SameSite=Lax`;
  return protocol === 'https:' ? `${text}; Secure` : text;
}

/** What the `Cookie` header has for the login with this state. */
export function readLoginCookie(header: string | undefined, state: string): string | undefined {
  return readCookie(header, nameOf(state));
}
