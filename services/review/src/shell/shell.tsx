import { BarChartIcon, ExitIcon, GearIcon, LockClosedIcon, MoonIcon, StackIcon, SunIcon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, NavLink } from 'react-router';
import { call } from '../api/client';
import { isOnline } from '../api/live';
import { ChangePassword } from '../session/change-password';
import { beforeLogout } from '../session/session-store';
import { texts } from '../texts';
import { switchTheme, theme } from '../ui/theme';
import { ToolButton } from '../ui/tool-button';
import { nameOf, useUser } from './user-context';

/** What is around every page: the way to the others, who is logged in, and whether there is a network. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { user, rights } = useUser();
  const client = useQueryClient();
  const online = isOnline.use();
  const shown = theme.use();
  const [isChanging, setIsChanging] = useState(false);
  const logOut = async () => {
    await Promise.all([...beforeLogout].map((end) => end()));
    await call('/auth/logout', { method: 'POST' }).catch(() => undefined);
    sessionStorage.clear();
    client.clear();
    location.assign('/');
  };
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="topbar">
        <Link to="/" className="brand">
          <img src="/icon.svg" alt="" width="24" height="24" /> {texts.product}
        </Link>
        <nav aria-label={texts.product}>
          <NavLink to="/" end>
            <StackIcon aria-hidden /> {texts.nav.queues}
          </NavLink>
          {rights.maySeeUsage && (
            <NavLink to="/usage">
              <BarChartIcon aria-hidden /> {texts.nav.usage}
            </NavLink>
          )}
          {rights.isAdmin && (
            <NavLink to="/settings">
              <GearIcon aria-hidden /> {texts.nav.settings}
            </NavLink>
          )}
        </nav>
        <span className="who" title={user.username}>
          {nameOf(user)}
        </span>
        <button type="button" className="icon" aria-label={texts.nav.theme} onClick={switchTheme}>
          {shown === 'dark' ? <SunIcon /> : <MoonIcon />}
        </button>
        {user.auth_type === 'password' && (
          <ToolButton label={texts.changePassword.title} onClick={() => setIsChanging(true)}>
            <LockClosedIcon />
          </ToolButton>
        )}
        <ToolButton label={texts.nav.logout} onClick={logOut}>
          <ExitIcon />
        </ToolButton>
      </header>
      {!online && (
        <div className="notice warning banner" role="alert">
          {texts.offline}
        </div>
      )}
      {children}
      {isChanging && <ChangePassword onClose={() => setIsChanging(false)} />}
    </div>
  );
}
