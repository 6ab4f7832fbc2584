import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, idOf } from '../api/client';
import { queries } from '../api/queries';
import type { Annotation } from '../api/types';
import { nameOf } from '../shell/user-context';
import { texts } from '../texts';
import { Dialog } from '../ui/dialog';
import { formatTime } from '../ui/format';
import { Problem } from '../ui/problem';
import { showToast } from '../ui/toast';
import type { Field } from './content';
import { SHORTCUTS } from './keys';

interface Closable {
  readonly onClose: () => void;
}

/** Every shortcut. */
export function ShortcutSheet({ onClose }: Closable) {
  return (
    <Dialog title={texts.review.shortcuts} onClose={onClose} wide>
      <dl className="shortcuts">
        {SHORTCUTS.map(({ command, keys, does }) => (
          <div key={command}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

export function RejectDialog({ onClose, onReject }: Closable & { readonly onReject: (note: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onReject(String(new FormData(event.currentTarget).get('note') ?? ''));
  };
  return (
    <Dialog title={texts.review.rejectTitle} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <label>
          {texts.review.rejectHint}
          <textarea name="note" rows={3} maxLength={4096} />
        </label>
        <div className="row end">
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" className="primary">
            {texts.review.reject}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function DeleteDialog({ onClose, onDelete }: Closable & { readonly onDelete: () => void }) {
  return (
    <Dialog title={texts.review.deleteTitle} onClose={onClose}>
      <p>{texts.review.deleteHint}</p>
      <div className="row end">
        <button type="button" onClick={onClose}>
          {texts.cancel}
        </button>
        <button type="button" className="primary" onClick={onDelete}>
          {texts.review.delete}
        </button>
      </div>
    </Dialog>
  );
}

/** Turning for good: the service reads the document again. */
export function RotateDialog({ annotation, onClose }: Closable & { readonly annotation: Annotation }) {
  const client = useQueryClient();
  const pages = useQuery(queries.pages(annotation.id));
  const now = pages.data?.[0]?.rotation_deg ?? 0;
  const turn = async (by: number) => {
    try {
      const body = { rotation_deg: (now + by) % 360 };
      await call(`/annotations/${annotation.id}/rotate`, { method: 'POST', body });
      // Everything of it is another one now.
      for (const key of ['annotations', 'content', 'pages', 'words', 'blocker', 'history']) {
        client.removeQueries({ queryKey: [key, annotation.id] });
      }
      location.reload();
    } catch (error) {
      showToast((error as Error).message, true);
    }
  };
  return (
    <Dialog title={texts.review.rotateAgain} onClose={onClose}>
      <p>{texts.review.rotateWarning}</p>
      <div className="row">
        <button type="button" onClick={() => void turn(270)}>
          {texts.review.turnLeft}
        </button>
        <button type="button" onClick={() => void turn(90)}>
          {texts.review.turnRight}
        </button>
        <button type="button" onClick={() => void turn(180)}>
          {texts.review.turnAround}
        </button>
      </div>
    </Dialog>
  );
}

/** What became of a document, or of one of its values. */
export function HistoryDialog({
  annotation,
  field,
  onClose,
}: Closable & { readonly annotation: Annotation; readonly field: Field | undefined }) {
  const history = useQuery({ ...queries.history(annotation.id), staleTime: 0 });
  const lines = (history.data ?? []).flatMap((entry) => {
    const values = field ? entry.values.filter(({ url }) => idOf(url) === field.id) : entry.values;
    return field && values.length === 0 ? [] : [{ ...entry, values }];
  });
  return (
    <Dialog
      title={field ? `${texts.review.history}: ${field.schema.label}` : texts.review.history}
      onClose={onClose}
      wide
    >
      {history.error && <Problem error={history.error} />}
      {history.data && lines.length === 0 && <p className="muted">{texts.review.noHistory}</p>}
      <ol className="history">
        {lines.map((entry) => (
          <li key={entry.version}>
            <span className="muted when">{formatTime(entry.at)}</span>
            <span>
              {entry.status !== entry.previous_status
                ? (texts.states[entry.status] ?? entry.status)
                : (texts.changes[entry.trigger] ?? entry.trigger.replaceAll('_', ' '))}{' '}
              <UserName url={entry.user} />
              {(field ? entry.values : entry.values.slice(0, 30)).map((value) => (
                <span key={value.url} className="change">
                  {!field && <b>{value.schema_id}: </b>}
                  {value.previous_value !== null && value.previous_value !== '' && <del>{value.previous_value}</del>}{' '}
                  <ins>{value.value === '' || value.value === null ? texts.review.noValue : value.value}</ins>
                  {value.origin && <em> {texts.triggers[value.origin] ?? value.origin}</em>}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

function UserName({ url }: { readonly url: string | null }) {
  const { data } = useQuery(queries.userOf(url));
  return (
    data && (
      <span className="muted">
        {texts.review.by} {nameOf(data)}
      </span>
    )
  );
}

/** The e-mail that brought a document, as text. */
export function EmailDialog({ url, onClose }: Closable & { readonly url: string }) {
  const email = useQuery(queries.email(url));
  const [isLong, setLong] = useState(false);
  const text = email.data?.body_text_plain ?? '';
  return (
    <Dialog title={texts.review.email} onClose={onClose} wide>
      {email.error && <Problem error={email.error} />}
      {email.data && (
        <>
          <dl className="facts">
            <dt>{texts.review.emailFrom}</dt>
            <dd>{[email.data.from?.name, email.data.from?.email].filter(Boolean).join(', ')}</dd>
            <dt>{texts.review.emailSubject}</dt>
            <dd>{email.data.subject}</dd>
            <dt>{texts.review.emailDate}</dt>
            <dd>{formatTime(email.data.created_at)}</dd>
          </dl>
          <pre className="mail">{(isLong ? text : text.slice(0, 4000)) || texts.review.noText}</pre>
          {text.length > 4000 && !isLong && (
            <button type="button" onClick={() => setLong(true)}>
              {texts.review.more}
            </button>
          )}
        </>
      )}
    </Dialog>
  );
}
