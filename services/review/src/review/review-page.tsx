import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useParams } from 'react-router';
import { ApiError } from '../api/client';
import { useRefetchInterval } from '../api/live';
import { queries } from '../api/queries';
import { embedded } from '../session/embedded';
import { texts } from '../texts';
import { Problem } from '../ui/problem';
import { Review } from './review';

/** A document, whatever its state. */
export default function ReviewPage() {
  const id = Number(useParams().id);
  const interval = useRefetchInterval();
  const annotation = useQuery({ ...queries.annotation(id), refetchInterval: interval });
  const content = useQuery(queries.content(id));
  const schema = useQuery(queries.schema(annotation.data?.schema ?? ''));
  const pages = useQuery(queries.pages(id));
  const document = useQuery(queries.document(annotation.data?.document ?? ''));
  const name = document.data?.original_file_name;
  useEffect(() => {
    const before = window.document.title;
    if (name) window.document.title = `${name} · ${texts.product}`;
    return () => {
      window.document.title = before;
    };
  }, [name]);

  // The tree of a document that is still being read is empty: it comes with the next state.
  const status = annotation.data?.status;
  const isRead = status !== undefined && status !== 'importing' && status !== 'created';
  const { refetch: readContent } = content;
  const { refetch: readPages } = pages;
  const isEmpty = content.data?.every(({ children = [] }) => children.length === 0);
  const hasNoPages = pages.data?.length === 0;
  useEffect(() => {
    if (!isRead) return;
    if (isEmpty) void readContent();
    if (hasNoPages) void readPages();
  }, [isRead, isEmpty, hasNoPages, readContent, readPages]);

  const error = annotation.error ?? content.error ?? schema.error ?? pages.error;
  if (!annotation.data || !content.data || !schema.data || !pages.data) {
    return (
      <main className="content" id="content">
        {error ? (
          <>
            {error instanceof ApiError && error.status === 404 ? (
              <p>{texts.review.missing}</p>
            ) : (
              <Problem error={error} onRetry={() => void annotation.refetch()} />
            )}
            {!embedded && <Link to="/">{texts.backToQueues}</Link>}
          </>
        ) : (
          <p className="waiting">{texts.loading}</p>
        )}
      </main>
    );
  }
  if (!isRead) {
    return (
      <main className="content" id="content">
        <h1>{name}</h1>
        <p className="waiting">{texts.review.importing}</p>
      </main>
    );
  }
  return (
    <Review
      key={id}
      annotation={annotation.data}
      content={content.data}
      schema={schema.data}
      pages={pages.data}
      document={document.data}
    />
  );
}
