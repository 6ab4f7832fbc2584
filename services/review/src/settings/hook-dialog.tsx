import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import type { Hook } from '../api/types';
import { texts } from '../texts';
import { FormDialog, textIn } from '../ui/form-dialog';
import { showToast } from '../ui/toast';
import { QueueChoice } from './queue-choice';

const t = texts.settings.hook;

/** Events that a webhook may be called for. API: hooks-and-connectors.md section 2. */
const EVENTS = [
  'annotation_status.changed',
  'annotation_content.initialize',
  'annotation_content.started',
  'annotation_content.user_update',
  'annotation_content.updated',
  'annotation_content.confirm',
  'annotation_content.export',
  'upload.created',
  'email.received',
  'invocation.scheduled',
  'invocation.manual',
];

/** A webhook, new or to be changed. */
export function HookDialog({ hook, onClose }: { readonly hook: Hook | undefined; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [isSure, setSure] = useState(false);
  const save = async (form: FormData) => {
    const secret = textIn(form, 'secret');
    const body = {
      name: textIn(form, 'name'),
      events: form.getAll('events'),
      queues: form.getAll('queues'),
      active: form.get('active') === 'on',
      config: { url: textIn(form, 'url'), ...(secret && { secret }) },
    };
    await (hook
      ? call(hook.url, { method: 'PATCH', body })
      : call('/hooks', { method: 'POST', body: { ...body, type: 'webhook' } }));
  };
  const remove = async () => {
    if (!hook || !isSure) return setSure(true);
    try {
      await call(hook.url, { method: 'DELETE' });
      await client.invalidateQueries({ queryKey: ['hooks'] });
      onClose();
    } catch (error) {
      showToast((error as Error).message, true);
    }
  };
  const tools = hook && (
    <button type="button" className="danger" onClick={() => void remove()}>
      {isSure ? t.reallyDelete : t.delete}
    </button>
  );
  return (
    <FormDialog
      title={hook?.name ?? t.add}
      submit={hook ? texts.save : t.create}
      reads={['hooks']}
      tools={tools}
      wide
      onSave={save}
      onClose={onClose}
    >
      <label>
        {t.name}
        <input name="name" required maxLength={255} defaultValue={hook?.name} autoComplete="off" />
      </label>
      <label>
        {t.url}
        <input name="url" type="url" required defaultValue={hook?.config.url} placeholder="https://" />
      </label>
      <label>
        {t.secret}
        <input name="secret" type="password" autoComplete="new-password" />
        <span className="hint">{hook ? t.secretKept : t.secretHint}</span>
      </label>
      <fieldset>
        <legend>{t.events}</legend>
        {EVENTS.map((event) => (
          <label key={event} className="check">
            <input type="checkbox" name="events" value={event} defaultChecked={hook?.events.includes(event)} />{' '}
            <code>{event}</code> <span className="muted">{t.when[event]}</span>
          </label>
        ))}
      </fieldset>
      <QueueChoice chosen={hook?.queues} />
      <label className="check">
        <input type="checkbox" name="active" defaultChecked={hook?.active ?? true} /> {t.active}
      </label>
    </FormDialog>
  );
}
