import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { API, ApiError, call, hasSession } from '../api/client';
import { queries } from '../api/queries';
import type { User } from '../api/types';
import { texts } from '../texts';
import { Dialog } from '../ui/dialog';
import { sessionLost } from './session-store';

/** User name and password; single sign-on comes back to the place where it was begun. */
export function LoginForm({ onDone }: { readonly onDone: () => void }) {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const offer = useQuery(queries.singleSignOn());

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setProblem('');
    try {
      const body = { username: form.get('username'), password: form.get('password') };
      await call('/auth/login', { method: 'POST', body, isLogin: true });
      if (hasSession()) onDone();
      else setProblem(texts.login.noSessions);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  const goToProvider = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const organization = String(new FormData(event.currentTarget).get('organization') ?? '').trim();
    const query = new URLSearchParams({ next: location.pathname + location.search });
    if (organization) query.set('organization', organization);
    location.assign(`${API}/oauth/login?${query}`);
  };

  return (
    <>
      <form className="form" onSubmit={submit}>
        <label>
          {texts.login.username}
          <input
            // biome-ignore lint/a11y/noAutofocus: there is nothing else to do
            autoFocus
            name="username"
            autoComplete="username"
            required
            spellCheck={false}
          />
        </label>
        <label>
          {texts.login.password}
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" className="primary" disabled={isBusy}>
          {texts.login.submit}
        </button>
      </form>
      <form className="form sso" onSubmit={goToProvider}>
        {offer.data?.single_sign_on && offer.data.organization_required && (
          <label>
            {texts.login.organization}
            <input name="organization" inputMode="numeric" pattern="[0-9]+" required />
          </label>
        )}
        <div className="row">
          {offer.data?.single_sign_on && <button type="submit">{texts.login.sso}</button>}
          <Link to="/reset-password">{texts.login.forgotten}</Link>
        </div>
      </form>
    </>
  );
}

/** The whole page while nobody is logged in. */
export function LoginPage() {
  const client = useQueryClient();
  const done = () => {
    sessionLost.set(false);
    void client.resetQueries();
  };
  return (
    <main className="login">
      <div className="card">
        <h1>
          <img src="/icon.svg" alt="" width="32" height="32" /> {texts.login.title}
        </h1>
        <LoginForm onDone={done} />
      </div>
    </main>
  );
}

/** Asks for the login on top of what is open, so that nothing typed is lost. */
export function LoginAgain({ user }: { readonly user: User }) {
  const client = useQueryClient();
  const done = async () => {
    const now = await call<User>('/auth/user').catch((error: ApiError) => error);
    // Somebody else: nothing of what is open is theirs.
    if (!(now instanceof ApiError) && now.id !== user.id) return location.assign('/');
    sessionLost.set(false);
    void client.invalidateQueries();
  };
  return (
    <Dialog title={texts.login.title}>
      <p>{texts.login.again}</p>
      <p className="muted">{texts.login.otherUser(user.username)}</p>
      <LoginForm onDone={done} />
    </Dialog>
  );
}
