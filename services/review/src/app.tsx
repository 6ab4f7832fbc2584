import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link, Route, Routes } from 'react-router';
import { ApiError } from './api/client';
import { useLiveChanges } from './api/live';
import { queries } from './api/queries';
import { DocumentsPage } from './documents/documents-page';
import { QueuesPage } from './queues/queues-page';
import { EmbeddedPage } from './session/embedded-page';
import { LoginAgain, LoginPage } from './session/login';
import { ResetPassword } from './session/reset-password';
import { sessionLost } from './session/session-store';
import { Shell } from './shell/shell';
import { UserContext } from './shell/user-context';
import { texts } from './texts';
import { Problem } from './ui/problem';
import { Toasts } from './ui/toast';

const ReviewPage = lazy(() => import('./review/review-page'));
const SettingsPage = lazy(() => import('./settings/settings-page'));
const QueueSettings = lazy(() => import('./settings/queue-settings'));
const UsagePage = lazy(() => import('./usage/usage-page'));

/** The page as a whole: who is logged in decides what is shown. */
export function App() {
  return (
    <>
      <Routes>
        <Route path="/reset-password" element={<ResetPassword />} />
        <Route path="/embedded/document/:id" element={<EmbeddedPage />} />
        <Route path="*" element={<LoggedIn />} />
      </Routes>
      <Toasts />
    </>
  );
}

function LoggedIn() {
  const { data: user, error, isPending, refetch } = useQuery(queries.user());
  const lost = sessionLost.use();
  useLiveChanges(useQueryClient(), user !== undefined && !lost);
  if (error instanceof ApiError && error.isLoggedOut && !user) return <LoginPage />;
  if (isPending) return <p className="waiting">{texts.loading}</p>;
  if (!user) return <Problem error={error ?? new Error()} onRetry={() => void refetch()} />;
  return (
    <UserContext value={user}>
      <Shell>
        <Suspense fallback={<p className="waiting">{texts.loading}</p>}>
          <Routes>
            <Route path="/" element={<QueuesPage />} />
            <Route path="/queues" element={<QueuesPage />} />
            <Route path="/queues/:id" element={<DocumentsPage />} />
            <Route path="/documents" element={<DocumentsPage />} />
            <Route path="/annotations/:id" element={<ReviewPage />} />
            <Route path="/settings" element={<SettingsPage />} />
            <Route path="/settings/:tab" element={<SettingsPage />} />
            <Route path="/settings/queues/:id" element={<QueueSettings />} />
            <Route path="/usage" element={<UsagePage />} />
            <Route path="*" element={<Missing />} />
          </Routes>
        </Suspense>
      </Shell>
      {lost && <LoginAgain user={user} />}
    </UserContext>
  );
}

function Missing() {
  return (
    <main className="content" id="content">
      <p>{texts.nothingHere}</p>
      <Link to="/">{texts.backToQueues}</Link>
    </main>
  );
}
