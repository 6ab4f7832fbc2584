import { Cross2Icon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { idOf } from '../api/client';
import { queries } from '../api/queries';
import { texts } from '../texts';
import { StateBadge } from '../ui/state-badge';
import { PageViewer } from './page-viewer';

/** Documents that seem to be the same, to be seen beside this one. */
export function Duplicates({
  annotationId,
  beside,
  onBeside,
}: {
  readonly annotationId: number;
  readonly beside: number | null;
  readonly onBeside: (id: number | null) => void;
}) {
  const relations = useQuery(queries.relations(annotationId));
  const others = [
    ...new Set(
      (relations.data ?? [])
        .filter(({ type }) => type === 'duplicate')
        .flatMap(({ annotations }) => annotations.map(idOf))
        .filter((id) => id !== annotationId),
    ),
  ];
  if (others.length === 0) return null;
  return (
    <div className="notice warning duplicates" role="status">
      <span>{texts.review.duplicateOf(others.length)}</span>
      {others.slice(0, 5).map((id) => (
        <button type="button" key={id} onClick={() => onBeside(beside === id ? null : id)}>
          {beside === id ? texts.review.hideBeside : texts.review.showBeside} #{id}
        </button>
      ))}
    </div>
  );
}

/** The pages of another document, to look at. */
export function OtherDocument({
  annotationId,
  onClose,
}: {
  readonly annotationId: number;
  readonly onClose: () => void;
}) {
  const annotation = useQuery(queries.annotation(annotationId));
  const document = useQuery(queries.document(annotation.data?.document ?? ''));
  const pages = useQuery(queries.pages(annotationId));
  return (
    <section className="beside" aria-label={texts.review.duplicates}>
      <header>
        <Link to={`/annotations/${annotationId}`}>{document.data?.original_file_name ?? `#${annotationId}`}</Link>
        {annotation.data && <StateBadge status={annotation.data.status} />}
        <button type="button" className="icon" aria-label={texts.review.hideBeside} onClick={onClose}>
          <Cross2Icon />
        </button>
      </header>
      <PageViewer
        annotationId={annotationId}
        pages={pages.data ?? []}
        marks={[]}
        activeId={null}
        hoveredId={null}
        onHover={() => undefined}
        onPick={() => undefined}
      />
    </section>
  );
}
