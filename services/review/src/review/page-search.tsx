import { ChevronDownIcon, ChevronUpIcon, Cross2Icon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { queries } from '../api/queries';
import type { Box } from '../api/types';
import { texts } from '../texts';
import { ToolButton } from '../ui/tool-button';

/** A pause in typing after which is looked for what was typed. */
const PAUSE_MS = 250;
const SHORTEST = 2;

/** A place where the phrase stands. */
interface Found {
  readonly page: number;
  readonly box: Box;
  readonly isCurrent: boolean;
}
const NOTHING: readonly Found[] = [];

/** Looks for a phrase in the text of all pages; null: nobody looks for anything. */
export function usePageSearch(annotationId: number) {
  const [phrase, setPhrase] = useState<string | null>(null);
  const [sent, setSent] = useState('');
  const [at, setAt] = useState(0);
  const typed = phrase?.trim() ?? '';
  useEffect(() => {
    const timer = setTimeout(() => {
      setSent(typed);
      setAt(0);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const isAsked = typed.length >= SHORTEST && sent.length >= SHORTEST;
  const results = useQuery({ ...queries.pageSearch(annotationId, sent), enabled: isAsked });
  const found = useMemo(
    () =>
      isAsked && results.data
        ? results.data.map(({ page, rectangle }, i): Found => ({ page, box: rectangle, isCurrent: i === at }))
        : NOTHING,
    [isAsked, results.data, at],
  );
  const byPage = useMemo(() => Map.groupBy(found, ({ page }) => page), [found]);
  const step = (by: 1 | -1) => setAt((before) => (before + by + found.length) % Math.max(1, found.length));
  const isSettled = sent === typed && !results.isFetching;
  return { phrase, setPhrase, byPage, at, count: found.length, step, isSettled: isAsked && isSettled };
}

export type PageSearch = ReturnType<typeof usePageSearch>;

/** Where the phrase is typed, and which of its places is shown. */
export function SearchBox({ search, onClose }: { readonly search: PageSearch; readonly onClose: () => void }) {
  const { phrase, setPhrase, at, count, step, isSettled } = search;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    // Otherwise it would be a key of the review.
    event.stopPropagation();
    if (event.key === 'Escape') return onClose();
    if (!(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  return (
    <search className="page-search" onKeyDown={onKeyDown}>
      <input
        // biome-ignore lint/a11y/noAutofocus: it was asked for
        autoFocus
        aria-label={texts.review.search.phrase}
        placeholder={texts.review.search.phrase}
        value={phrase ?? ''}
        maxLength={256}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setPhrase(event.target.value)}
      />
      <span className="muted" role="status">
        {count > 0 ? texts.review.search.of(at + 1, count) : isSettled ? texts.review.search.none : ''}
      </span>
      <ToolButton label={texts.review.search.previous} keys="Shift Enter" disabled={count < 2} onClick={() => step(-1)}>
        <ChevronUpIcon />
      </ToolButton>
      <ToolButton label={texts.review.search.next} keys="Enter" disabled={count < 2} onClick={() => step(1)}>
        <ChevronDownIcon />
      </ToolButton>
      <ToolButton label={texts.close} keys="Esc" onClick={onClose}>
        <Cross2Icon />
      </ToolButton>
    </search>
  );
}
