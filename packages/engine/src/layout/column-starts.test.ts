import { pageOf } from '../page-of-text';
import { layOutPage } from './page-layout';

/** Texts of the segments of each line. */
const segmentsOf = (text: string) =>
  layOutPage(pageOf(text)).lines.map(({ segments }) => segments.map((segment) => segment.text));

test('where lines above and below begin, a column begins in a line whose cells nearly touch', () => {
  const lines = segmentsOf(`
    Seller                              Buyer
    Name: Amber Events Cooperative SpA  Name: Luigi Marino
    Via Appia 118                       Vico San Giacomo 7
    Casagiove                           Napoli
    Italia                              Italia
  `);
  expect(lines[1]).toEqual(['Name: Amber Events Cooperative SpA', 'Name: Luigi Marino']);
});

test('labels and their values stay together', () => {
  const lines = segmentsOf(`
    Name:      Amber Events
    Street: Tovarna vulica 41
    Number:    27841936
    Register:  C 43117
    Postcode:  77900
  `);
  expect(lines[1]).toEqual(['Street: Tovarna vulica 41']);
});

test('bullets before the lines of a list are no words', () => {
  expect(segmentsOf('• Denominazione: Beta Gamma\n• CAP: 29122')).toEqual([
    ['Denominazione: Beta Gamma'],
    ['CAP: 29122'],
  ]);
});
