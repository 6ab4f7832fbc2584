import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { queries } from '../api/queries';
import { UserContext } from '../shell/user-context';
import { texts } from '../texts';
import { Problem } from '../ui/problem';
import { type Ending, embedded } from './embedded';
import { createStore, sessionLost } from './session-store';

const ReviewPage = lazy(() => import('../review/review-page'));

/** How the review has ended, where no address was given for it. */
const ended = createStore<Ending | null>(null);

/** Goes where the page of others wants to go on, or says that the document is done. */
export function endEmbedded(how: Ending): void {
  const to = embedded?.ends[how];
  if (to) window.location.assign(to);
  else ended.set(how);
}

/** One document alone. */
export function EmbeddedPage() {
  const how = ended.use();
  const lost = sessionLost.use();
  const { data: user, error, isPending, refetch } = useQuery(queries.user());
  if (how !== null || lost) {
    return (
      <main className="content" id="content">
        <p>{lost ? texts.embedded.lost : texts.embedded.ended[how ?? 'cancel']}</p>
      </main>
    );
  }
  if (isPending) return <p className="waiting">{texts.loading}</p>;
  if (!user) return <Problem error={error ?? new Error()} onRetry={() => void refetch()} />;
  return (
    <UserContext value={user}>
      <Suspense fallback={<p className="waiting">{texts.loading}</p>}>
        <ReviewPage />
      </Suspense>
    </UserContext>
  );
}
