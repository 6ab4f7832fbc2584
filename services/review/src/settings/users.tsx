import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { API, call, idOf } from '../api/client';
import { queries } from '../api/queries';
import type { User } from '../api/types';
import { ROLES, rightsOf } from '../session/roles';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { Choice } from '../ui/choice';
import { FormDialog, textIn } from '../ui/form-dialog';
import { formatWhen } from '../ui/format';
import { Problem } from '../ui/problem';
import { QueueChoice } from './queue-choice';
import { SettingsList } from './settings-list';

const roleName = (id: number) => (ROLES.find((role) => role.id === id)?.name ?? '').replaceAll('_', ' ');

/** The users of the organization, their roles and queues. */
export function Users() {
  const users = useQuery(queries.users());
  const [edited, setEdited] = useState<User | 'new' | null>(null);
  if (users.error) return <Problem error={users.error} />;
  return (
    <>
      <SettingsList
        add={texts.settings.user.add}
        onAdd={() => setEdited('new')}
        columns={[
          { label: texts.settings.user.name },
          { label: texts.settings.user.role },
          { label: texts.settings.user.queues, isNumber: true },
          { label: texts.settings.user.lastLogin },
          { label: texts.settings.user.active },
        ]}
      >
        {users.data?.map((user) => (
          <tr key={user.id}>
            <td className="break">
              <button type="button" className="link" onClick={() => setEdited(user)}>
                {user.username}
              </button>{' '}
              <span className="muted">{`${user.first_name} ${user.last_name}`.trim()}</span>
            </td>
            <td>{user.groups.map((url) => roleName(idOf(url))).join(', ')}</td>
            <td className="number">{rightsOf(user).isAdmin ? texts.settings.user.allQueues : user.queues.length}</td>
            <td className="muted">{formatWhen(user.last_login) || texts.settings.user.never}</td>
            <td>{user.is_active ? '✓' : '–'}</td>
          </tr>
        ))}
      </SettingsList>
      {edited && <UserDialog user={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function UserDialog({ user, onClose }: { readonly user: User | undefined; readonly onClose: () => void }) {
  const { user: self } = useUser();
  const save = async (form: FormData) => {
    const shared = {
      first_name: textIn(form, 'first_name'),
      last_name: textIn(form, 'last_name'),
      groups: [`${API}/groups/${textIn(form, 'role')}`],
      queues: form.getAll('queues'),
      is_active: form.get('is_active') === 'on',
    };
    const username = textIn(form, 'username');
    const password = String(form.get('password') ?? '');
    const made = { ...shared, username, email: username, organization: self.organization };
    await call(user?.url ?? '/users', {
      method: user ? 'PATCH' : 'POST',
      body: { ...(user ? shared : made), ...(password && { password }) },
    });
  };
  return (
    <FormDialog
      title={user?.username ?? texts.settings.user.add}
      submit={user ? texts.save : texts.settings.user.create}
      reads={['users']}
      onSave={save}
      onClose={onClose}
    >
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
        <span className="hint">{user ? texts.settings.user.passwordKept : texts.settings.user.passwordInvited}</span>
      </label>
      <Choice
        label={texts.settings.user.role}
        name="role"
        defaultValue={user?.groups[0] ? idOf(user.groups[0]) : 2}
        options={ROLES.map(({ id }) => [id, roleName(id)])}
      />
      <QueueChoice chosen={user?.queues} />
      <label className="check">
        <input type="checkbox" name="is_active" defaultChecked={user?.is_active ?? true} /> {texts.settings.user.active}
      </label>
    </FormDialog>
  );
}
