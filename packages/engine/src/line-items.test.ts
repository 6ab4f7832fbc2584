import { analyze } from './analyze';
import { pageOf } from './page-of-text';

const rows = (...texts: string[]) =>
  (analyze(texts.map((text, at) => pageOf(text, { number: at + 1 }))).tables.line_items ?? []).map((row) =>
    Object.fromEntries(
      Object.entries(row.cells).map(([column, cell]) => [column.replace('table_column_', ''), cell.value]),
    ),
  );

test('codes under "#" are codes, not numbers of rows', () => {
  const head = '#         Description          Qty      Price       Total';
  expect(
    rows(`
      ${head}
      K1309     Copy paper           14       2.50       35.00
      M1483     Toner                 2      40.00       80.00
    `).map((row) => row.code),
  ).toEqual(['K1309', 'M1483']);
  expect(
    rows(`
      ${head}
      1         Copy paper           14       2.50       35.00
      2         Toner                 2      40.00       80.00
    `).map((row) => row.code),
  ).toEqual([undefined, undefined]);
});

test('headings that mislead are put right by quantity times price', () => {
  expect(
    rows(`
      Description               Hours        Rate / Taux      Total
      Weekly cleaning            36             32.00        1152.00
      Carpet shampoo              4             45.00         180.00
    `),
  ).toEqual([
    expect.objectContaining({ quantity: '36', amount_base: '32.00', amount_total_base: '1152.00' }),
    expect.objectContaining({ quantity: '4', amount_base: '45.00', amount_total_base: '180.00' }),
  ]);
});

test('where the amount of a row is with tax, so is the price that it is the product of', () => {
  expect(
    rows(`
      Artikel                 Aantal    Prijs per stuk     BTW     Prijs incl. BTW
      Hoes                       2          99,99          21%        199,98
      Lader                      3          10,00          21%         30,00
    `)[0],
  ).toMatchObject({ quantity: '2', amount: '99.99', amount_total: '199.98', rate: '21' });
});

test('amounts may stand in the line under the name', () => {
  expect(
    rows(`
      Pos   Description               Qty         VAT %       Net amount
      1     Steel coil                10          0
            Packed in boxes                                    1000.00
      2     Bumper                     5          0
            Packed in boxes                                     500.00
    `).map((row) => [row.quantity, row.amount_total_base]),
  ).toEqual([
    ['10', '1000.00'],
    ['5', '500.00'],
  ]);
});

test('the table goes on under the sum of a section', () => {
  expect(
    rows(`
      Désignation                    Qté        PU HT        Total HT
      Fenêtre PVC                    4,00       412,00       1 648,00
      Sous-total                                             1 648,00
      Évacuation                     2,00        90,00         180,00
      Total HT                                               1 828,00
    `).map((row) => row.description),
  ).toEqual(['Fenêtre PVC', 'Évacuation']);
});

test('sums at the foot of a page do not end a table that goes on under the same head', () => {
  const page = (item: string, last: string) => `
      Description               Qty       Price        Amount
      ${item.padEnd(25)}  2       10.00         20.00
      ${last}
  `;
  expect(
    rows(
      page('Hinge', 'Subtotal                                        20.00'),
      page('Screw', 'Total       40.00'),
    ).map((row) => row.description),
  ).toEqual(['Hinge', 'Screw']);
});

test('the number of the article under its description', () => {
  expect(
    rows(`
      Bezeichnung               Menge     Einzelpreis     Gesamt
      Dichtsatz                   8          62,40        499,20
      Art.-Nr. 88-399
    `)[0],
  ).toMatchObject({ description: 'Dichtsatz', code: '88-399' });
});

test('numbers of accounts in the foot of the page are no items', () => {
  expect(
    rows(`
      Description               Qty       Price        Amount
      Hinge                      2        10.00         20.00
      Registry Hanau            44     305075009400000
    `),
  ).toHaveLength(1);
});

test('numbers set to the right under headings set to the left', () => {
  expect(
    rows(`
      Popis                     Množstvo            Cena za MJ          DPH %               Spolu bez DPH
      Doprava                               9.00           569.74                      10         5127.66
      Olej motorový                         2.00           722.43                      10         1444.86
    `)[0],
  ).toEqual({
    description: 'Doprava',
    quantity: '9.00',
    amount_base: '569.74',
    rate: '10',
    amount_total_base: '5127.66',
  });
});
