import { analyze } from '../analyze';
import { pageOf } from '../page-of-text';
import { type ConfirmedRow, keepCorrections, type Lesson, learnLesson } from './lesson';
import { isLessCoherent, recall } from './recall';
import { type PlainRow, pairRows, plainRow } from './table';

interface Item {
  what: string;
  count: string;
  each: string;
  all: string;
}
const PAINT: Item = { what: 'Wandfarbe weiss matt', count: '3', each: '20,00', all: '60,00' };
const BRUSH: Item = { what: 'Pinsel breit', count: '4', each: '10,00', all: '40,00' };
const LADDER: Item = { what: 'Leiter aus Holz', count: '2', each: '75,00', all: '150,00' };

/** An invoice whose table has headings that say nothing. */
function invoice(items: readonly Item[], total: string, name = 'Blechwerk Anders GmbH', vatId = 'DE136695976') {
  const rows = items.map(
    ({ what, count, each, all }) =>
      `    ${what.padEnd(30)}${each.padStart(12)}${count.padStart(10)}${all.padStart(14)}`,
  );
  return pageOf(`
    ${name}
    Lange Gasse 4, 90402 Nürnberg
    USt-IdNr. ${vatId}

    Rechnung Nr. 4711 vom 03.05.2024

    Gegenstand                         Zu je   Haben wir       Ergibt
${rows.join('\n')}

    Gesamtbetrag     ${total} EUR
    Zahlbar bis 17.05.2024 auf das Konto der Firma
  `);
}

const toRow = ({ what, count, each, all }: Item): PlainRow => ({
  table_column_description: what,
  table_column_quantity: count,
  table_column_amount_base: each.replace(',', '.'),
  table_column_amount_total_base: all.replace(',', '.'),
});
const read = (page: ReturnType<typeof pageOf>) => ({ pages: [page], ...analyze([page]) });
const rowsOf = ({ tables }: Pick<ReturnType<typeof read>, 'tables'>) => (tables.line_items ?? []).map(plainRow);

/** The rows that a person confirms for a page, each with what was read for it. */
function confirmed(before: ReturnType<typeof read>, items: readonly Item[]): ConfirmedRow[] {
  const wanted = items.map(toRow);
  const found = pairRows(rowsOf(before), wanted);
  return wanted.map((row, at) => ({ row, read: found[at] ?? null }));
}

function teach(page: ReturnType<typeof pageOf>, items: readonly Item[], earlier: readonly Lesson[] = []): Lesson {
  const before = { ...read(page), ...recall(read(page), earlier) };
  const values = Object.fromEntries(
    Object.entries(before.fields).map(([field, [best]]) => {
      const { value, page, position } = best!;
      return [field, { value, page, position, read: { value, page, position } }];
    }),
  );
  const rows = confirmed(before, items);
  return keepCorrections(learnLesson([page], values, rows)!, rows, earlier);
}

test('a table that was put right once is read by its place in the next document, however many rows it has', () => {
  const lesson = teach(invoice([PAINT, BRUSH], '100,00'), [PAINT, BRUSH]);
  expect(lesson.lineItems).toMatchObject({
    head: [
      { word: 'gegenstand' },
      { word: 'zu' },
      { word: 'je' },
      { word: 'haben' },
      { word: 'wir' },
      { word: 'ergibt' },
    ],
    columns: [
      { meaning: 'description' },
      { meaning: 'amount_base' },
      { meaning: 'quantity' },
      { meaning: 'amount_total_base' },
    ],
  });
  const next = read(invoice([LADDER, BRUSH, PAINT], '250,00'));
  const wanted = [LADDER, BRUSH, PAINT].map(toRow);
  expect(rowsOf(next)).not.toEqual(wanted);
  const better = recall(next, [lesson]);
  expect(rowsOf(better)).toEqual(wanted);
  expect(better.tables.line_items![0]!.cells.table_column_quantity).toMatchObject({ page: 1, confidence: 0.93 });
  expect(better.tables.line_items![0]!.cells.table_column_quantity!.position).toBeTruthy();
});

/** An invoice of which people say that its amounts are with tax; the column for the rate may be empty. */
const ladders = (rate: string) =>
  read(
    pageOf(`
    Blechwerk Anders GmbH
    Lange Gasse 4, 90402 Nürnberg
    USt-IdNr. DE136695976

    Rechnung Nr. 4711 vom 03.05.2024

    Beschreibung              Menge      Preis      MwSt      Betrag
    Leiter aus Holz               2      75,00     ${rate.padStart(5)}      150,00

    Gesamtbetrag     150,00 EUR
  `),
  );
const GROSS: PlainRow = {
  table_column_description: 'Leiter aus Holz',
  table_column_quantity: '2',
  table_column_amount_base: '75.00',
  table_column_amount_total: '150.00',
};

test('columns change their meaning when people say so; those that were empty are read as ever', () => {
  const before = ladders('');
  expect(rowsOf(before)[0]).toMatchObject({ table_column_amount_total_base: '150.00' });
  const sender = { value: 'DE136695976', page: null, position: null, read: null };
  const rows = [{ row: GROSS, read: rowsOf(before)[0]! }];
  const lesson = learnLesson(before.pages, { sender_vat_id: sender }, rows)!;
  expect(rowsOf(recall(ladders(''), [lesson]))).toEqual([GROSS]);
  expect(rowsOf(recall(ladders('19 %'), [lesson]))).toEqual([{ ...GROSS, table_column_rate: '19' }]);
});

test('rows that add up do not give way to others that do less so', () => {
  const [good] = ladders('19 %').tables.line_items!;
  const { table_column_quantity, ...cells } = good!.cells;
  const wrong = { ...good!, cells: { ...cells, table_column_quantity: { ...table_column_quantity!, value: '3' } } };
  expect(isLessCoherent([wrong], [good!], {})).toBe(true);
  expect(isLessCoherent([good!], [wrong], {})).toBe(false);
  const { fields } = ladders('19 %');
  const none = { ...good!, cells: { table_column_description: cells.table_column_description! } };
  expect(isLessCoherent([none], [good!], fields)).toBe(true);
  expect(isLessCoherent([good!], [none], fields)).toBe(false);
});

test('what is read right teaches nothing about the table, and what was learned stays for as long as it reads right', () => {
  const first = teach(invoice([PAINT, BRUSH], '100,00'), [PAINT, BRUSH]);
  let latest = first;
  for (const items of [[LADDER], [PAINT], [BRUSH], [LADDER, PAINT], [BRUSH, LADDER], [PAINT, LADDER]])
    latest = teach(invoice(items, '1,00'), items, [latest]);
  expect(latest.lineItems).toEqual(first.lineItems);
  expect(rowsOf(recall(read(invoice([LADDER, BRUSH], '190,00')), [latest]))).toEqual([LADDER, BRUSH].map(toRow));
});

test('other senders, and other tables of the same sender, are read as before', () => {
  const lesson = teach(invoice([PAINT, BRUSH], '100,00'), [PAINT, BRUSH]);
  const stranger = read(invoice([LADDER], '150,00', 'Holz Meier OHG', 'DE129273398'));
  expect(recall(stranger, [lesson]).tables).toEqual(stranger.tables);
  const other = read(
    pageOf(`
    Blechwerk Anders GmbH
    Lange Gasse 4, 90402 Nürnberg
    USt-IdNr. DE136695976

    Rechnung Nr. 4711 vom 03.05.2024

    Beschreibung              Menge      Einzelpreis        Betrag
    Leiter aus Holz               2            75,00        150,00

    Gesamtbetrag     150,00 EUR
  `),
  );
  expect(recall(other, [lesson]).tables).toEqual(other.tables);
});

test('rows that cannot be found on the pages teach nothing about the table', () => {
  const strange = { what: 'Etwas ganz anderes', count: '17', each: '3,33', all: '56,61' };
  expect(teach(invoice([PAINT, BRUSH], '100,00'), [strange]).lineItems).toBeUndefined();
});
