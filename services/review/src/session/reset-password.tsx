import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { call } from '../api/client';
import { texts } from '../texts';

/** Asks for a link to a new password, and where such a link leads to: `/reset-password#uid=..&token=..`. */
export function ResetPassword() {
  const link = new URLSearchParams(location.hash.slice(1));
  const [uid, token] = [link.get('uid'), link.get('token')];
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget));
    setProblem('');
    try {
      const path = uid ? '/auth/password/reset/confirm' : '/auth/password/reset';
      const body = uid ? { uid, token, ...given } : given;
      setSaid((await call<{ detail: string }>(path, { method: 'POST', body, isLogin: true })).detail);
      history.replaceState(null, '', location.pathname);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };

  return (
    <main className="login">
      <div className="card">
        <h1>{texts.reset.title}</h1>
        {said ? (
          <p role="status">{said}</p>
        ) : (
          <form className="form" onSubmit={submit}>
            {uid ? (
              <>
                <label>
                  {texts.reset.password}
                  <input
                    // biome-ignore lint/a11y/noAutofocus: there is nothing else to do
                    autoFocus
                    name="new_password1"
                    type="password"
                    autoComplete="new-password"
                    required
                  />
                </label>
                <label>
                  {texts.reset.repeat}
                  <input name="new_password2" type="password" autoComplete="new-password" required />
                </label>
              </>
            ) : (
              <label>
                {texts.reset.email}
                <input
                  // biome-ignore lint/a11y/noAutofocus: there is nothing else to do
                  autoFocus
                  name="email"
                  type="email"
                  autoComplete="email"
                  required
                />
              </label>
            )}
            {problem && (
              <p className="problem" role="alert">
                {problem}
              </p>
            )}
            <button type="submit" className="primary">
              {uid ? texts.reset.submit : texts.reset.ask}
            </button>
          </form>
        )}
        <p>
          <Link to="/">{texts.reset.toLogin}</Link>
        </p>
      </div>
    </main>
  );
}
