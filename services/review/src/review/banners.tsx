import { useQuery } from '@tanstack/react-query';
import type { ApiError } from '../api/client';
import { isOnline } from '../api/live';
import { queries } from '../api/queries';
import type { Annotation } from '../api/types';
import { nameOf } from '../shell/user-context';
import { texts } from '../texts';

/** Who has the document, and whether the service is there. */
export function Banners({
  annotation,
  isMine,
  hasEnded,
  problem,
  onTakeOver,
}: {
  readonly annotation: Annotation;
  readonly isMine: boolean;
  readonly hasEnded: boolean;
  readonly problem: ApiError | null;
  readonly onTakeOver?: () => void;
}) {
  const online = isOnline.use();
  const isOthers = annotation.status === 'reviewing' && !isMine;
  const other = useQuery(queries.userOf(isOthers ? annotation.modifier : null));
  const take = onTakeOver && (
    <button type="button" onClick={onTakeOver}>
      {texts.review.takeOver}
    </button>
  );
  if (isOthers) {
    return (
      <div className="notice warning banner" role="alert">
        <span>{texts.review.reviewedBy(other.data ? nameOf(other.data) : texts.review.someone)}</span>
        {take}
      </div>
    );
  }
  if (hasEnded) {
    return (
      <div className="notice warning banner" role="alert">
        <span>{texts.review.ended}</span>
        {take}
      </div>
    );
  }
  // That there is no network is said above.
  if (!problem || problem.isLoggedOut || (problem.isAway && !online)) return null;
  return (
    <div className="notice warning banner" role="alert">
      <span>{problem.isAway ? texts.away : problem.message}</span>
    </div>
  );
}
