import { findValues, learnRules, type Value } from '../candidates/values';
import { layOutPage, normalize, type PageLayout, type Token, unite } from '../layout/page-layout';
import type { FieldCandidate, Recognition, RecognizedPage, TableRow } from '../recognition';
import type { EInvoice } from './e-invoice';
import { type PrintedInvoice, placeOf } from './print';

type Content = Pick<Recognition, 'fields' | 'tables'>;

/** Where a value was found, and as what. */
type Found = Pick<FieldCandidate, 'page' | 'position' | 'rawText'>;

const NOWHERE = { page: 1, position: null };

/** Fields and tables of an invoice that was printed from its XML. */
export function fromPrinted(invoice: EInvoice, { places }: PrintedInvoice): Content {
  return write(invoice, (value, name, row) => {
    const place = places.get(placeOf(name, row));
    return { rawText: value, ...(place ?? NOWHERE) };
  });
}

/**
 * Fields and tables of a PDF with an embedded XML: what the XML says, at the places where the pages show it; what it
 * does not say, as read on the pages.
 */
export function fromEmbedded(invoice: EInvoice, pages: RecognizedPage[], read: Content): Content {
  const search = searchIn(pages);
  const rowOf = matchRows(invoice, read);
  const content = write(invoice, (value, name, row) => {
    const cell = row ? rowOf(row.table, row.row)?.cells[name] : undefined;
    const candidates = row ? (cell ? [cell] : []) : (read.fields[name] ?? []);
    const seen = candidates.find((one) => isSame(name, one.value, value));
    if (seen) return { page: seen.page, position: seen.position, rawText: seen.rawText };
    return (row ? undefined : search(name, value)) ?? { ...NOWHERE, rawText: value };
  });
  return { fields: { ...read.fields, ...content.fields }, tables: { ...read.tables, ...content.tables } };
}

function write(
  { fields, taxDetails, lineItems }: EInvoice,
  locate: (value: string, name: string, row?: { table: string; row: number }) => Found,
): Content {
  const candidate = (value: string, name: string, row?: { table: string; row: number }): FieldCandidate => ({
    value,
    ...locate(value, name, row),
    confidence: 1,
  });
  const toRows = (table: string, rows: Record<string, string>[]): TableRow[] =>
    rows.map((row, at) => {
      const cells = Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, candidate(value, name, { table, row: at })]),
      );
      const seen = Object.values(cells).filter((cell) => cell.position);
      const page = seen[0]?.page ?? 1;
      const boxes = seen.filter((cell) => cell.page === page).map((cell) => cell.position!);
      return { type: 'data', cells, page, position: boxes.length > 0 ? unite(boxes) : null };
    });
  return {
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [candidate(value, name)]])),
    tables: {
      ...(taxDetails.length > 0 && { tax_details: toRows('tax_details', taxDetails) }),
      ...(lineItems.length > 0 && { line_items: toRows('line_items', lineItems) }),
    },
  };
}

/** Pairs the rows of the XML with those that were read, by the cells that agree. */
function matchRows(invoice: EInvoice, read: Content): (table: string, row: number) => TableRow | undefined {
  const tables = { line_items: invoice.lineItems, tax_details: invoice.taxDetails };
  const matches = new Map<string, TableRow>();
  for (const [table, rows] of Object.entries(tables)) {
    const free = new Set(read.tables[table as keyof typeof tables]?.filter((row) => row.type === 'data') ?? []);
    rows.forEach((row, at) => {
      let best: { row: TableRow; same: number } | undefined;
      for (const one of free) {
        const same = Object.entries(row).filter(
          ([name, value]) => one.cells[name] && isSame(name, one.cells[name].value, value),
        ).length;
        if (same > (best?.same ?? 0)) best = { row: one, same };
      }
      if (!best) return;
      free.delete(best.row);
      matches.set(`${table}/${at}`, best.row);
    });
  }
  return (table, row) => matches.get(`${table}/${row}`);
}

const isNumber = (name: string) => /^amount_|_(?:base|rate|tax|total|quantity|amount)$/.test(name);

/** Whether two writings mean the same value; signs do not count, credit notes are printed with and without. */
export function isSame(name: string, a: string, b: string): boolean {
  if (isNumber(name)) return Math.abs(Math.abs(Number(a)) - Math.abs(Number(b))) < 0.005;
  return plain(a) === plain(b);
}

const plain = (text: string) => normalize(text).join('');

/** Finds values on pages that no field was read from. */
function searchIn(recognized: RecognizedPage[]): (name: string, value: string) => Found | undefined {
  let prepared: { pages: PageLayout[]; values: Value[] } | undefined;
  return (name, value) => {
    if (!prepared) {
      const pages = recognized.map(layOutPage);
      const rules = learnRules(pages, undefined);
      prepared = { pages, values: pages.flatMap((page) => findValues(page, rules)) };
    }
    const { pages, values } = prepared;
    if (isNumber(name) || /^date_/.test(name)) {
      const found = values.find(
        (one) => isSame(name, one.value, value) && (one.type === 'date') === /^date_/.test(name),
      );
      return found && { page: found.page, position: found.box, rawText: found.raw };
    }
    // An address stands on several lines; its first part says where.
    const text = /_address$/.test(name) ? value.split(',')[0]! : value;
    const wanted = plain(text);
    if (wanted.length < 2) return undefined;
    for (const page of pages) {
      for (const line of page.lines) {
        const tokens = findRun(line.tokens, wanted);
        if (tokens) {
          const box = unite(tokens.map((token) => token.box));
          return { page: page.number, position: box, rawText: tokens.map((token) => token.text).join(' ') };
        }
      }
    }
    return undefined;
  };
}

/** Neighbouring words that together are the text. */
function findRun(tokens: Token[], wanted: string): Token[] | undefined {
  for (let start = 0; start < tokens.length; start++) {
    let text = '';
    for (let end = start; end < tokens.length && text.length < wanted.length; end++) {
      text += tokens[end]!.parts.join('');
      if (text === wanted) return tokens.slice(start, end + 1);
      if (!wanted.startsWith(text)) break;
    }
  }
  return undefined;
}

/** Fields that decide what is paid to whom; both sides must agree on them. */
const DECISIVE = [
  'document_id',
  'date_issue',
  'iban',
  'amount_total',
  'amount_total_base',
  'amount_total_tax',
  'amount_due',
  'sender_vat_id',
];
/** From here on, what was read on the page is believed. */
const SURE = 0.85;

/** Where the pages say something else than the XML, in words for the person who has to look at it. */
export function findContradictions(invoice: EInvoice, read: Content): { field: string; message: string }[] {
  return DECISIVE.flatMap((field) => {
    const wanted = invoice.fields[field];
    const [best, ...others] = read.fields[field] ?? [];
    if (wanted === undefined || !best || best.confidence < SURE || isSame(field, best.value, wanted)) return [];
    if (others.some((one) => one.confidence > 0.5 && isSame(field, one.value, wanted))) return [];
    const message = `The page shows ${best.rawText}, but the embedded e-invoice (${invoice.syntax}) says ${wanted}.`;
    return [{ field, message }];
  });
}
