import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { call, idOf } from '../api/client';
import { queries } from '../api/queries';
import type { Lesson } from '../api/types';
import { texts } from '../texts';
import { Dialog } from '../ui/dialog';
import { formatWhen } from '../ui/format';
import { Loading, Problem } from '../ui/problem';
import { showToast } from '../ui/toast';

const t = texts.settings.lesson;

/** What was learned from confirmed documents, sender by sender, and how to forget it. */
export function Lessons() {
  const client = useQueryClient();
  const lessons = useQuery(queries.lessons());
  const [asked, setAsked] = useState<readonly Lesson[] | null>(null);
  const forget = async (act: () => Promise<unknown>) => {
    setAsked(null);
    try {
      await act();
      showToast(t.forgotten);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    await client.invalidateQueries({ queryKey: ['lessons'] });
  };
  if (lessons.error) return <Problem error={lessons.error} onRetry={() => void lessons.refetch()} />;
  if (!lessons.data) return <Loading />;
  if (lessons.data.length === 0) return <p className="muted empty card">{t.none}</p>;
  const senders = [...Map.groupBy(lessons.data, senderOf).values()];
  return (
    <>
      <p className="muted">{t.hint}</p>
      <div className="table-box gap">
        <table>
          <thead>
            <tr>
              <th scope="col">{t.sender}</th>
              <th scope="col">{t.documents}</th>
              <th scope="col">{t.corrected}</th>
              <th scope="col">{t.last}</th>
              <th scope="col">
                <span className="hidden">{t.forget}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {senders.map((group) => (
              <tr key={senderOf(group[0] as Lesson)} className="top">
                <td dir="auto">
                  <strong>{nameOf(group)}</strong>
                  <div className="muted small break">{group[0]?.senders[0]}</div>
                </td>
                <td>
                  <details>
                    <summary>{t.details(group.length)}</summary>
                    <ul className="lessons">
                      {group.map((lesson) => (
                        <OneLesson
                          key={lesson.id}
                          lesson={lesson}
                          onForget={() => void forget(() => call(lesson.url, { method: 'DELETE' }))}
                        />
                      ))}
                    </ul>
                  </details>
                </td>
                <td className="small">{correctedOf(group)}</td>
                <td className="muted">{formatWhen(group[0]?.learned_at ?? null)}</td>
                <td className="number">
                  <button
                    type="button"
                    className="danger"
                    aria-label={`${t.forgetSender}: ${nameOf(group)}`}
                    onClick={() => setAsked(group)}
                  >
                    {t.forget}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {asked && (
        <Dialog title={t.confirm(nameOf(asked))} onClose={() => setAsked(null)}>
          <p>{t.confirmHint}</p>
          <div className="row end">
            <button type="button" onClick={() => setAsked(null)}>
              {texts.cancel}
            </button>
            <button
              type="button"
              className="primary"
              onClick={() =>
                void forget(() =>
                  call('/lessons/forget', { method: 'POST', body: { sender: senderOf(asked[0] as Lesson) } }),
                )
              }
            >
              {t.forgetSender}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The strongest name of a sender; what has none stands for itself. */
const senderOf = ({ senders, url }: Lesson) => senders[0] ?? url;
const nameOf = (group: readonly Lesson[]) => group.find((one) => one.sender_name !== '')?.sender_name || t.unknown;

function correctedOf(group: readonly Lesson[]): string {
  const names = group.flatMap(({ fields }) => fields.filter(({ corrected }) => corrected).map(({ name }) => name));
  return [...new Set(names)].map((name) => name.replaceAll('_', ' ')).join(', ');
}

/** That a field is empty is worth a line only where the engine had read something. */
const isWorthShowing = ({ value, corrected }: Lesson['fields'][number]) => value !== '' || corrected;

function OneLesson({ lesson, onForget }: { readonly lesson: Lesson; readonly onForget: () => void }) {
  const id = idOf(lesson.annotation);
  return (
    <li>
      <span className="row">
        <Link to={`/annotations/${id}`}>{`#${id}`}</Link>
        <span className="muted small">{formatWhen(lesson.learned_at)}</span>
        <button type="button" className="link small" onClick={onForget} aria-label={`${t.forget} #${id}`}>
          {t.forget}
        </button>
      </span>
      <dl className="facts small">
        {lesson.fields.filter(isWorthShowing).map(({ name, value, corrected }) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd dir="auto">
              {value || <span className="muted">{t.empty}</span>}
              {corrected && <span className="tag changed">{texts.usage.corrected}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
