import { PlusIcon } from '@radix-ui/react-icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { API, call, idOf } from '../api/client';
import { queries } from '../api/queries';
import type { User } from '../api/types';
import { ROLES, rightsOf } from '../session/roles';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { Dialog } from '../ui/dialog';
import { formatWhen } from '../ui/format';
import { Problem } from '../ui/problem';
import { showToast } from '../ui/toast';

const roleName = (id: number) => (ROLES.find((role) => role.id === id)?.name ?? '').replaceAll('_', ' ');

/** The users of the organization, their roles and queues. */
export function Users() {
  const users = useQuery(queries.users());
  const [edited, setEdited] = useState<User | 'new' | null>(null);
  if (users.error) return <Problem error={users.error} />;
  return (
    <>
      <div className="row end">
        <button type="button" className="primary" onClick={() => setEdited('new')}>
          <PlusIcon aria-hidden /> {texts.settings.user.add}
        </button>
      </div>
      <div className="table-box gap">
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.settings.user.name}</th>
              <th scope="col">{texts.settings.user.role}</th>
              <th scope="col" className="number">
                {texts.settings.user.queues}
              </th>
              <th scope="col">{texts.settings.user.lastLogin}</th>
              <th scope="col">{texts.settings.user.active}</th>
            </tr>
          </thead>
          <tbody>
            {users.data?.map((user) => (
              <tr key={user.id}>
                <td className="break">
                  <button type="button" className="link" onClick={() => setEdited(user)}>
                    {user.username}
                  </button>{' '}
                  <span className="muted">{`${user.first_name} ${user.last_name}`.trim()}</span>
                </td>
                <td>{user.groups.map((url) => roleName(idOf(url))).join(', ')}</td>
                <td className="number">
                  {rightsOf(user).isAdmin ? texts.settings.user.allQueues : user.queues.length}
                </td>
                <td className="muted">{formatWhen(user.last_login) || texts.settings.user.never}</td>
                <td>{user.is_active ? '✓' : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {edited && <UserDialog user={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function UserDialog({ user, onClose }: { readonly user: User | undefined; readonly onClose: () => void }) {
  const { user: self } = useUser();
  const client = useQueryClient();
  const queues = useQuery(queries.queues());
  const [problem, setProblem] = useState('');
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '');
    const shared = {
      first_name: text('first_name'),
      last_name: text('last_name'),
      groups: [`${API}/groups/${text('role')}`],
      queues: form.getAll('queues'),
      is_active: form.get('is_active') === 'on',
    };
    const password = text('password');
    const made = { ...shared, username: text('username'), email: text('username'), organization: self.organization };
    try {
      await call(user?.url ?? '/users', {
        method: user ? 'PATCH' : 'POST',
        body: { ...(user ? shared : made), ...(password && { password }) },
      });
      await client.invalidateQueries({ queryKey: ['users'] });
      showToast(texts.saved);
      onClose();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <Dialog title={user?.username ?? texts.settings.user.add} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {!user && (
          <label>
            {texts.settings.user.name}
            <input name="username" type="email" required autoComplete="off" />
          </label>
        )}
        <label>
          {texts.settings.user.firstName}
          <input name="first_name" defaultValue={user?.first_name} autoComplete="off" />
        </label>
        <label>
          {texts.settings.user.lastName}
          <input name="last_name" defaultValue={user?.last_name} autoComplete="off" />
        </label>
        <label>
          {texts.settings.user.password}
          <input name="password" type="password" minLength={8} autoComplete="new-password" />
        </label>
        <label>
          {texts.settings.user.role}
          <select name="role" defaultValue={user?.groups[0] ? idOf(user.groups[0]) : 2}>
            {ROLES.map(({ id }) => (
              <option key={id} value={id}>
                {roleName(id)}
              </option>
            ))}
          </select>
        </label>
        <fieldset>
          <legend>{texts.settings.user.queues}</legend>
          {queues.data?.map(({ url, name }) => (
            <label key={url} className="check">
              <input type="checkbox" name="queues" value={url} defaultChecked={user?.queues.includes(url)} /> {name}
            </label>
          ))}
        </fieldset>
        <label className="check">
          <input type="checkbox" name="is_active" defaultChecked={user?.is_active ?? true} />{' '}
          {texts.settings.user.active}
        </label>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="row end">
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" className="primary">
            {user ? texts.save : texts.settings.user.create}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
