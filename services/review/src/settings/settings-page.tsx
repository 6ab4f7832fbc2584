import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, NavLink, useParams } from 'react-router';
import { queries } from '../api/queries';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { Problem } from '../ui/problem';
import { Hooks } from './hooks';
import { Lessons } from './lessons';
import { Problems } from './problems';
import { QueueDialog } from './queue-dialog';
import { SettingsList } from './settings-list';
import { Users } from './users';

const TABS: readonly [string, string][] = [
  ['queues', texts.settings.queues],
  ['users', texts.settings.users],
  ['hooks', texts.settings.hooks],
  ['lessons', texts.settings.lessons],
  ['problems', texts.settings.problems],
];
const PAGES: Readonly<Record<string, () => ReactNode>> = {
  queues: Queues,
  users: Users,
  hooks: Hooks,
  lessons: Lessons,
  problems: Problems,
};

/** What admins set. */
export default function SettingsPage() {
  const { rights } = useUser();
  const tab = useParams().tab ?? 'queues';
  const Shown = Object.hasOwn(PAGES, tab) ? PAGES[tab] : undefined;
  if (!rights.isAdmin) {
    return (
      <main className="content" id="content">
        <p>{texts.settings.adminsOnly}</p>
      </main>
    );
  }
  return (
    <main className="content" id="content">
      <h1>{texts.settings.title}</h1>
      <nav className="tabs" aria-label={texts.settings.title}>
        {TABS.map(([key, name]) => (
          <NavLink key={key} to={`/settings/${key}`} className={key === tab ? 'active' : ''} end>
            {name}
          </NavLink>
        ))}
      </nav>
      {Shown ? <Shown /> : <p>{texts.nothingHere}</p>}
    </main>
  );
}

function Queues() {
  const queues = useQuery(queries.queues());
  const [isAdding, setAdding] = useState(false);
  if (queues.error) return <Problem error={queues.error} />;
  return (
    <>
      <SettingsList
        add={texts.settings.queue.add}
        onAdd={() => setAdding(true)}
        columns={[
          { label: texts.settings.queue.name },
          { label: texts.settings.queue.automation },
          { label: texts.settings.queue.threshold, isNumber: true },
        ]}
      >
        {queues.data?.map((queue) => (
          <tr key={queue.id}>
            <td>
              <Link to={`/settings/queues/${queue.id}`}>{queue.name}</Link>
            </td>
            <td>{texts.settings.queue.levels[queue.automation_enabled ? queue.automation_level : 'never']}</td>
            <td className="number">{Math.round(queue.default_score_threshold * 100)} %</td>
          </tr>
        ))}
      </SettingsList>
      {isAdding && <QueueDialog onClose={() => setAdding(false)} />}
    </>
  );
}
