import { API } from '../api/client';

const PREFIX = '#authToken=';

/**
 * The way back from the provider: the session has come in a cookie with it. The one-time token in the fragment is used up, so that
 * nobody finds it in the address, and the token that it is exchanged for is thrown away.
 */
export async function finishSingleSignOn(): Promise<void> {
  if (!location.hash.startsWith(PREFIX)) return;
  const authorization = `Bearer ${location.hash.slice(PREFIX.length)}`;
  history.replaceState(history.state, '', location.pathname + location.search);
  // Without cookies: the session that came with the redirect is another one, and must not end with the token.
  const post = (path: string, key: string) =>
    fetch(API + path, { method: 'POST', headers: { authorization: key }, credentials: 'omit' }).catch(() => null);
  const answer = await post('/auth/token', authorization);
  if (!answer?.ok) return;
  const { key } = (await answer.json()) as { key: string };
  await post('/auth/logout', `Bearer ${key}`);
}
