import { ChevronLeftIcon } from '@radix-ui/react-icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useParams } from 'react-router';
import { call } from '../api/client';
import { queries } from '../api/queries';
import type { Queue, Schema } from '../api/types';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { Choice } from '../ui/choice';
import { Problem } from '../ui/problem';
import { showToast } from '../ui/toast';
import { SchemaEditor } from './schema-editor';
import { ThresholdHistory } from './threshold-history';

/** Everything of one queue that an admin sets. */
export default function QueueSettings() {
  const id = Number(useParams().id);
  const { rights } = useUser();
  const queues = useQuery(queries.queues());
  const queue = queues.data?.find((one) => one.id === id);
  const schema = useQuery(queries.schema(queue?.schema ?? ''));
  if (!rights.isAdmin || (queues.data && !queue)) {
    return (
      <main className="content" id="content">
        <p>{rights.isAdmin ? texts.nothingHere : texts.settings.adminsOnly}</p>
      </main>
    );
  }
  if (queues.error) return <Problem error={queues.error} />;
  if (!queue) return <p className="waiting">{texts.loading}</p>;
  return (
    <main className="content" id="content">
      <div className="title-row">
        <Link to="/settings" className="button icon" aria-label={texts.settings.title}>
          <ChevronLeftIcon />
        </Link>
        <h1>{queue.name}</h1>
      </div>
      <div className="settings-columns">
        <General key={queue.url} queue={queue} schema={schema.data} />
        <InboxSettings queue={queue} />
      </div>
      {schema.error && <Problem error={schema.error} />}
      {schema.data && <SchemaEditor key={schema.data.url} schema={schema.data} />}
    </main>
  );
}

/** Says how a change ended, and reads again what it changed. */
function useSave() {
  const client = useQueryClient();
  return async (path: string, method: 'PATCH' | 'POST', body: object, keys: readonly string[]) => {
    try {
      await call(path, { method, body });
      await Promise.all(keys.map((key) => client.invalidateQueries({ queryKey: [key] })));
      showToast(texts.saved);
    } catch (error) {
      showToast((error as Error).message, true);
    }
  };
}

function General({ queue, schema }: { readonly queue: Queue; readonly schema: Schema | undefined }) {
  const save = useSave();
  const t = texts.settings.queue;
  const [threshold, setThreshold] = useState(Math.round(queue.default_score_threshold * 100));
  const rejection = queue.settings.rejection_config as { readonly enabled?: boolean } | undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const level = String(form.get('level'));
    void save(
      queue.url,
      'PATCH',
      {
        name: form.get('name'),
        automation_enabled: level !== 'never',
        automation_level: level,
        default_score_threshold: threshold / 100,
        session_timeout: form.get('timeout'),
        locale: form.get('locale'),
        use_confirmed_state: form.get('confirmed') === 'on',
        settings: {
          rejection_config: { ...rejection, enabled: form.get('rejection') === 'on' },
          suggested_edit: form.get('suggested') === 'on' ? 'suggest' : 'disable',
        },
      },
      ['queues'],
    );
  };
  return (
    <form className="card form padded" onSubmit={submit} aria-label={t.general}>
      <h2>{t.general}</h2>
      <label>
        {t.name}
        <input name="name" defaultValue={queue.name} required maxLength={255} />
      </label>
      <Choice
        label={t.automation}
        name="level"
        defaultValue={queue.automation_enabled ? queue.automation_level : 'never'}
        options={Object.entries(t.levels)}
      />
      <label>
        <span>
          {t.threshold}: <b>{threshold} %</b>
        </span>
        <input
          type="range"
          min={0}
          max={100}
          value={threshold}
          onChange={(event) => setThreshold(Number(event.target.value))}
        />
        <span className="hint">{t.thresholdHint}</span>
      </label>
      {schema && <ThresholdHistory queueId={queue.id} schema={schema} threshold={threshold} />}
      <label>
        {t.timeout}
        <input name="timeout" defaultValue={queue.session_timeout} pattern="\d+:[0-5]\d:[0-5]\d" required />
      </label>
      <label>
        {t.locale}
        <input name="locale" defaultValue={queue.locale} required />
      </label>
      <label className="check">
        <input type="checkbox" name="confirmed" defaultChecked={queue.use_confirmed_state} /> {t.confirmed}
      </label>
      <label className="check">
        <input type="checkbox" name="rejection" defaultChecked={rejection?.enabled !== false} /> {t.rejection}
      </label>
      <label className="check">
        <input type="checkbox" name="suggested" defaultChecked={queue.settings.suggested_edit === 'suggest'} />{' '}
        {t.suggested}
      </label>
      <div className="row end">
        <button type="submit" className="primary">
          {texts.save}
        </button>
      </div>
    </form>
  );
}

function InboxSettings({ queue }: { readonly queue: Queue }) {
  const save = useSave();
  const t = texts.settings.inbox;
  const inbox = useQuery(queries.inbox(queue.inbox));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email_prefix = new FormData(event.currentTarget).get('prefix');
    if (inbox.data) void save(inbox.data.url, 'PATCH', { email_prefix }, ['inbox']);
    else void save('/inboxes', 'POST', { name: queue.name, email_prefix, queues: [queue.url] }, ['queues', 'inbox']);
  };
  const copy = async (address: string) => {
    await navigator.clipboard?.writeText(address);
    showToast(t.copied);
  };
  return (
    <section className="card form padded" aria-label={texts.settings.queue.inbox}>
      <h2>{texts.settings.queue.inbox}</h2>
      {inbox.error && <Problem error={inbox.error} />}
      {inbox.data ? (
        <>
          <p>{t.address}</p>
          <p className="address">
            <strong>{inbox.data.email}</strong>
            <button type="button" onClick={() => void copy(inbox.data.email)}>
              {t.copy}
            </button>
          </p>
        </>
      ) : (
        queue.inbox === null && <p className="muted">{t.none}</p>
      )}
      <form className="form" onSubmit={submit}>
        <label>
          {t.prefix}
          <input
            name="prefix"
            required
            maxLength={57}
            pattern="[a-z0-9._+\-]+"
            defaultValue={inbox.data?.email_prefix}
          />
          {inbox.data && <span className="hint">{t.changeWarning}</span>}
        </label>
        <div className="row end">
          <button type="submit">{inbox.data ? t.change : t.make}</button>
        </div>
      </form>
    </section>
  );
}
