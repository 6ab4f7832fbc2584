import { pageOf } from '../page-of-text';
import { proposeSplit } from './propose-split';

const invoice = (number: string, more = '') =>
  [
    'Northwind Traders Ltd.                     Invoice',
    '12 Harbour Street, London EC1A 1BB',
    '',
    `Invoice number: ${number}`,
    'Invoice date: 2024-03-15',
    '',
    'Description            Quantity   Unit price   Amount',
    'Consulting services    10         100.00       1000.00',
    '',
    'Total amount due: 1200.00 EUR',
    more,
  ].join('\n');
const TERMS = 'Terms and conditions\nGoods stay ours until they are paid for in full.';

const runsOf = (...texts: readonly string[]) => proposeSplit(texts.map((text, i) => pageOf(text, { number: i + 1 })));

it('a number with a date that the pages before do not have begins another document', () => {
  expect(runsOf(invoice('INV-1001'), TERMS, invoice('INV-1002'), invoice('INV-1003'))).toEqual([[1, 2], [3], [4]]);
});

it('a page that says that it is the first, behind a last one, begins another document', () => {
  const note = (place: string) => `Delivery note\nTen boxes\n${place}`;
  expect(runsOf(invoice('INV-1001', 'Page 1 of 1'), note('Page 1 of 2'), note('Page 2 of 2'))).toEqual([[1], [2, 3]]);
});

it.each([
  ['a single page', [invoice('INV-1001')]],
  ['further pages without a number', [invoice('INV-1001'), TERMS, TERMS]],
  ['the number on every page', [invoice('INV-1001'), invoice('INV-1001')]],
  ['another number beside the own one', [invoice('INV-1001'), invoice('INV-2002', 'belongs to INV-1001')]],
  ['a second page of its own account', [invoice('INV-1001', 'Seite 1 von 2'), invoice('INV-2002', 'Seite 2 von 2')]],
  ['pages of which the first has no number', [TERMS, invoice('INV-1001')]],
])('%s: one document', (_, texts) => expect(runsOf(...texts)).toEqual([]));
