import { layOutPage } from '../../layout/page-layout';
import { pageOf } from '../../page-of-text';
import { findItemsByRecords } from './items-by-records';

const found = (...texts: string[]) =>
  findItemsByRecords(
    texts.map((text, at) => layOutPage(pageOf(text, { number: at + 1 }))),
    '.',
  );
const items = (...texts: string[]) =>
  found(...texts).rows.map(({ cells }) =>
    Object.fromEntries(
      Object.entries(cells).map(([column, cell]) => [column.replace('table_column_', ''), cell.value]),
    ),
  );

const NUMBERED = `
  Nr. linea: 1
  Tipo: INTERNO
  Valore: FL-4410
  Descrizione bene/servizio: FLANGIA DN 80
  Quantità: 25.00
  Unità di misura: PZ
  Valore unitario: 34.60
  Valore totale: 865.00
  IVA (%): 22.00
  Nr. linea: 2
  Descrizione bene/servizio: SPESE DI TRASPORTO
  Quantità: 1.00
  Valore unitario: 50.00
  Valore totale: 50.00
  IVA (%): 22.00
  Dati di riepilogo per aliquota IVA
  Aliquota IVA (%): 22.00
  Totale imponibile/importo: 915.00
`;

test('each numbered record is a row of what its labels say', () => {
  expect(items(NUMBERED)).toEqual([
    {
      description: 'FLANGIA DN 80',
      quantity: '25.00',
      uom: 'PZ',
      amount_base: '34.60',
      amount_total_base: '865.00',
      rate: '22.00',
    },
    {
      description: 'SPESE DI TRASPORTO',
      quantity: '1.00',
      amount_base: '50.00',
      amount_total_base: '50.00',
      rate: '22.00',
    },
  ]);
});

test('what comes behind the last record does not belong to it', () => {
  const { lines } = found(NUMBERED);
  expect(lines.has('1:15')).toBe(true);
  expect(lines.has('1:17')).toBe(false);
});

test('labels without colons, several in a line, and a record on another page', () => {
  const first = `
    Position 1
    Objektkennung:                 Menge                      8
    Auftragsposition:              Einheit                    HUR
                                   Preis pro Einheit (netto)  65,00
                                   Gesamtpreis (netto)        520,00
    Bezeichnung:    Wartung Heizungsanlage
  `;
  const second = `
    Position 2
    Freitext:                      Menge                      3
                                   Gesamtpreis (netto)        1.110,00
    Bezeichnung:    Umwälzpumpe
  `;
  const rows = findItemsByRecords(
    [first, second].map((text, at) => layOutPage(pageOf(text, { number: at + 1 }))),
    ',',
  ).rows;
  expect(rows.map(({ page, cells }) => [page, cells.table_column_description?.value])).toEqual([
    [1, 'Wartung Heizungsanlage'],
    [2, 'Umwälzpumpe'],
  ]);
  expect(rows[0]?.cells).toMatchObject({
    table_column_quantity: { value: '8' },
    table_column_uom: { value: 'HUR' },
    table_column_amount_base: { value: '65.00' },
    table_column_amount_total_base: { value: '520.00' },
  });
});

test('records without numbers begin with the label that comes again', () => {
  const text = `
    Description: Steel bracket
    Quantity: 4
    Unit price: 2.50
    Line amount: 10.00

    Description: Delivery
    Line amount: 7.00
  `;
  expect(items(text)).toEqual([
    { description: 'Steel bracket', quantity: '4', amount_base: '2.50', amount_total_base: '10.00' },
    { description: 'Delivery', amount_total_base: '7.00' },
  ]);
});

test('one description with its amount, without a number, is no list of items', () => {
  expect(items('Description: Rent\nAmount: 700.00')).toEqual([]);
});
