import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';
import { queries } from '../api/queries';
import type { Workspace } from '../api/types';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { Choice } from '../ui/choice';
import { FormDialog, textIn } from '../ui/form-dialog';

const t = texts.settings.queue;

/** A new queue, with the schema of a template and an inbox. */
export function QueueDialog({ onClose }: { readonly onClose: () => void }) {
  const { user } = useUser();
  const workspaces = useQuery(queries.workspaces());
  const save = async (form: FormData) => {
    const name = textIn(form, 'new_workspace');
    const made =
      name &&
      (await call<Workspace>('/workspaces', { method: 'POST', body: { name, organization: user.organization } }));
    await call('/queues/from_template', {
      method: 'POST',
      body: {
        name: textIn(form, 'name'),
        template_name: textIn(form, 'template'),
        workspace: made ? made.url : textIn(form, 'workspace'),
        include_documents: false,
      },
    });
  };
  return (
    <FormDialog title={t.add} submit={t.create} reads={['queues', 'workspaces']} onSave={save} onClose={onClose}>
      <label>
        {t.name}
        <input name="name" required maxLength={255} autoComplete="off" />
      </label>
      <Choice label={t.template} name="template" options={Object.entries(t.templates)} />
      <Choice
        label={t.workspace}
        name="workspace"
        options={(workspaces.data ?? []).map(({ url, name }) => [url, name])}
      />
      <label>
        {t.newWorkspace}
        <input
          name="new_workspace"
          maxLength={255}
          autoComplete="off"
          required={workspaces.data !== undefined && workspaces.data.length === 0}
        />
      </label>
    </FormDialog>
  );
}
