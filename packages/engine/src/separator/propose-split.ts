import { analyze } from '../analyze';
import type { FieldCandidate, RecognizedPage } from '../recognition';

/** How sure a number has to be that begins a document, or that a document is known by. */
const LEAST_CONFIDENCE = 0.6;
/** Of the date that must stand beside it: further pages of a document have numbers, too, but seldom its date. */
const LEAST_BESIDE = 0.5;

/** "Page 2 of 3" in the languages of the engine. */
const PAGE_OF =
  /\b(?:page|seite|blatt|strana|str|strona|pagina|página|pág|pag|side|sida|sivu|oldal|blad|lap)\b\.?\s*:?\s*(\d{1,3})\s*(?:of|von|de|di|van|af|av|z|ze|din|su|of the|\/)\s*(\d{1,3})\b/iu;

/**
 * The documents that a file of several pages seems to hold, as runs of page numbers; empty when it is one document. A page begins
 * another document when it says that it is the first of its own behind a last one, or when it has a document number that the pages
 * before do not have, with a date, and does not show theirs.
 *
 * @param pages all pages of the file, in order
 */
export function proposeSplit(pages: readonly RecognizedPage[], locale?: string): number[][] {
  const runs: number[][] = [];
  let open: RecognizedPage[] = [];
  let id: string | null = null;
  let place: Identity['place'] = null;
  for (const page of pages) {
    const own = readIdentity(page, locale);
    if (open.length === 0 || beginsAnother(page, own, { pages: open, id, place })) {
      if (open.length > 0) runs.push(open.map(({ number }) => number));
      open = [page];
      id = own.id;
    } else {
      open.push(page);
      id ??= own.id;
    }
    place = own.place;
  }
  if (open.length > 0) runs.push(open.map(({ number }) => number));
  return runs.length > 1 ? runs : [];
}

interface Identity {
  /** Letters and digits of the document's number; null: the page has none that is sure. */
  readonly id: string | null;
  /** Whether a date of issue stands there too. */
  readonly isDated: boolean;
  /** What the page says of its own place; null: nothing. */
  readonly place: { readonly number: number; readonly count: number } | null;
}

function readIdentity(page: RecognizedPage, locale?: string): Identity {
  const { fields } = analyze([{ ...page, number: 1 }], locale);
  const best = (field: string, least: number): FieldCandidate | undefined =>
    fields[field]?.find(({ confidence }) => confidence >= least);
  const number = best('document_id', LEAST_CONFIDENCE);
  const isDated = best('date_issue', LEAST_BESIDE) !== undefined;
  return { id: number ? squeeze(number.value) : null, isDated, place: readPlace(page) };
}

function readPlace({ words }: RecognizedPage): Identity['place'] {
  const found = PAGE_OF.exec(words.map(({ text }) => text).join(' '));
  const [number, count] = [Number(found?.[1]), Number(found?.[2])];
  return found && number >= 1 && number <= count ? { number, count } : null;
}

interface Before {
  readonly pages: readonly RecognizedPage[];
  readonly id: string | null;
  /** Of the last page. */
  readonly place: Identity['place'];
}

function beginsAnother(page: RecognizedPage, own: Identity, before: Before): boolean {
  if (own.place && own.place.number > 1) return false;
  if (own.id !== null && own.id === before.id) return false;
  if (own.place && before.place && before.place.number === before.place.count) return true;
  if (own.id === null || before.id === null || !own.isDated) return false;
  const { id } = own;
  return !shows(page, before.id) && !before.pages.some((one) => shows(one, id));
}

/** Whether a number stands anywhere on a page. */
function shows({ words }: RecognizedPage, id: string): boolean {
  return squeeze(words.map(({ text }) => text).join('')).includes(id);
}

function squeeze(text: string): string {
  return text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
}
