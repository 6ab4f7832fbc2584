import { call } from '../api/client';
import { texts } from '../texts';
import { FormDialog } from '../ui/form-dialog';

/** Sets another password of who is logged in; this session goes on, all others end. */
export function ChangePassword({ onClose }: { readonly onClose: () => void }) {
  return (
    <FormDialog
      title={texts.changePassword.title}
      submit={texts.reset.submit}
      reads={[]}
      onSave={(form) => call('/auth/password/change', { method: 'POST', body: Object.fromEntries(form) })}
      onClose={onClose}
    >
      <label>
        {texts.changePassword.old}
        <input name="old_password" type="password" autoComplete="current-password" required />
      </label>
      <label>
        {texts.reset.password}
        <input name="new_password1" type="password" autoComplete="new-password" required />
      </label>
      <label>
        {texts.reset.repeat}
        <input name="new_password2" type="password" autoComplete="new-password" required />
      </label>
    </FormDialog>
  );
}
