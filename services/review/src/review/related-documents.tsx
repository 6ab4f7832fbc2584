import { Cross2Icon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { queries } from '../api/queries';
import type { Annotation } from '../api/types';
import { texts } from '../texts';
import { StateBadge } from '../ui/state-badge';
import { PageViewer } from './page-viewer';
import { relatedOf } from './related';

/** Documents that seem to be the same, the one that this was cut from, and its parts: to be seen beside this one. */
export function Related({
  annotation,
  beside,
  onBeside,
}: {
  readonly annotation: Annotation;
  readonly beside: number | null;
  readonly onBeside: (id: number | null) => void;
}) {
  const relations = useQuery(queries.relations(annotation));
  const related = relatedOf(relations.data ?? [], annotation.id);
  const shown = { beside, onBeside };
  return (
    <>
      {related.duplicates.length > 0 && (
        <Others {...shown} kind="warning" ids={related.duplicates}>
          {texts.review.duplicateOf(related.duplicates.length)}
        </Others>
      )}
      {related.originals.length > 0 && (
        <Others {...shown} kind="info" ids={related.originals}>
          {texts.review.cutFrom}
        </Others>
      )}
      {related.parts.length > 0 && (
        <Others {...shown} kind="info" ids={related.parts}>
          {texts.review.cutInto(related.parts.length)}
        </Others>
      )}
    </>
  );
}

/** Buttons for so many documents are shown at first. */
const SHOWN_AT_FIRST = 6;

function Others({
  kind,
  ids,
  beside,
  onBeside,
  children,
}: {
  readonly kind: 'warning' | 'info';
  readonly ids: readonly number[];
  readonly beside: number | null;
  readonly onBeside: (id: number | null) => void;
  readonly children: ReactNode;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? ids : ids.slice(0, SHOWN_AT_FIRST);
  return (
    <div className={`notice ${kind} related`} role="status">
      <span>{children}</span>
      {shown.map((id) => (
        <button type="button" key={id} onClick={() => onBeside(beside === id ? null : id)}>
          {beside === id ? texts.review.hideBeside : texts.review.showBeside} #{id}
        </button>
      ))}
      {shown.length < ids.length && (
        <button type="button" onClick={() => setAll(true)}>
          {texts.review.showAll(ids.length)}
        </button>
      )}
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
    <section className="beside" aria-label={texts.review.beside}>
      <header>
        <Link to={`/annotations/${annotationId}`} className="beside-name" dir="auto">
          {document.data?.original_file_name ?? `#${annotationId}`}
        </Link>
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
