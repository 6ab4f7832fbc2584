import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { queries } from '../api/queries';
import type { Annotation, PageObject } from '../api/types';
import { texts } from '../texts';
import { showToast } from '../ui/toast';
import { partsOf, suggestedPlan } from './page-plan';
import { PagesDialog } from './pages-dialog';

const t = texts.review.suggested;

/** That somebody or something suggests to cut the document, to be looked at, done or dismissed. API: related-objects.md section 6. */
export function SuggestedSplit({
  annotation,
  pages,
  mayEdit,
}: {
  readonly annotation: Annotation;
  readonly pages: readonly PageObject[];
  readonly mayEdit: boolean;
}) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const { data: suggestion } = useQuery(queries.suggestedEdit(annotation.suggested_edit));
  const count = suggestion ? partsOf(suggestedPlan(pages, suggestion, annotation.queue)).length : 0;
  if (!suggestion || annotation.suggested_edit === null || count === 0) return null;
  const dismiss = async () => {
    try {
      await call(suggestion.url, { method: 'DELETE' });
      setOpen(false);
      showToast(t.dismissed);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    await client.invalidateQueries({ queryKey: queries.annotation(annotation.id).queryKey });
  };
  return (
    <>
      <div className="notice info related" role="status">
        <span>{t.split(count)}</span>
        {mayEdit && (
          <>
            <button type="button" onClick={() => setOpen(true)}>
              {t.look}
            </button>
            <button type="button" onClick={() => void dismiss()}>
              {t.dismiss}
            </button>
          </>
        )}
      </div>
      {isOpen && (
        <PagesDialog
          annotation={annotation}
          pages={pages}
          suggestion={suggestion}
          onDismiss={() => void dismiss()}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
