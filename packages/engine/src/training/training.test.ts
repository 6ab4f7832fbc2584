import { analyze } from '../analyze';
import { createModel } from '../scoring/model';
import { compareTables, isRight } from './compare';
import { type Example, fit, fitScale } from './fit';
import { collectExamples, learn } from './learn';
import { calibrate, compareDocument, summarize } from './measure';
import { drawReliability, writeReport } from './report';
import { synthesize } from './synthesize';

test.each([
  ['amount_total', '1234.5', '1234.50', true],
  ['amount_total', '1234.51', '1234.50', false],
  ['date_issue', '2024-01-02', '2024-02-01', false],
  ['document_id', 'INV 12/3', 'inv-12.3', true],
  ['sender_vat_id', 'DE123456789', '123456789', true],
  ['sender_ic', '556677-8899', '5566778899', true],
  ['sender_address', '1 High Street, Leeds, UK', '1 High Street Leeds', true],
  ['sender_name', 'Example Trading', 'Other Company', false],
  ['order_id', 'B', ['A', 'B'], true],
] as const)('%s %s for %s', (field, value, wanted, right) => {
  expect(isRight(field, value, wanted as string | string[])).toBe(right);
});

test('in a credit note signs do not count', () => {
  expect(isRight('amount_total', '-10.00', '10.00', true)).toBe(true);
  expect(isRight('amount_total', '-10.00', '10.00')).toBe(false);
});

test('rows are paired, cells counted', () => {
  const wanted = [
    { table_column_description: 'Blue paint', table_column_quantity: '2' },
    { table_column_description: 'Red paint', table_column_quantity: '3' },
  ];
  const predicted = [
    { table_column_description: 'Red paint', table_column_quantity: '3' },
    { table_column_description: 'Something else', table_column_quantity: '9' },
  ];
  const { columns, cells } = compareTables(predicted, wanted);
  expect(columns.table_column_quantity).toEqual({ right: 1, predicted: 2, wanted: 2 });
  expect(cells).toEqual([
    { table_column_description: true, table_column_quantity: true },
    { table_column_description: false, table_column_quantity: false },
  ]);
});

test('synthesised documents are the same every time, in many languages, and can be read', () => {
  const documents = synthesize(48);
  expect(synthesize(60).slice(0, 48)).toEqual(documents);
  expect(new Set(documents.map(({ truth }) => truth.language)).size).toBeGreaterThanOrEqual(12);
  const results = documents.map(({ truth, pages }) => compareDocument(truth, analyze(pages)));
  expect(summarize(results).header.f1).toBeGreaterThan(0.9);
});

test('what is fitted tells right from wrong, and is the same every time', () => {
  const examples: Example[] = Array.from({ length: 400 }, (_, at) => {
    const label = (at * 37) % 101 > 50 ? 1 : 0;
    const noise = ((at * 61) % 97) / 97;
    return { field: at % 2 ? 'a' : 'b', features: { always: 1, label, noise }, right: label === 1, weight: 1 };
  });
  const weights = fit(examples);
  expect(fit(examples)).toEqual(weights);
  const model = createModel(weights);
  const logit = (label: number) => model('a', { value: '', score: 0, features: { always: 1, label, noise: 0.5 } });
  expect(logit(1)).toBeGreaterThan(1.5);
  expect(logit(0)).toBeLessThan(-1.5);
});

test('confidences that promise too much are lowered', () => {
  const judged = Array.from({ length: 200 }, (_, at) => ({ logit: 4, right: at % 4 !== 0 }));
  const { scale, shift } = fitScale(judged);
  expect(1 / (1 + Math.exp(-(scale * 4 + shift)))).toBeCloseTo(0.75, 1);
});

test('every candidate becomes an example, and a source is measured without itself', () => {
  const documents = synthesize(16).map((document, at) => ({
    ...document,
    truth: { ...document.truth, source: at % 2 ? 'one' : 'two' },
  }));
  const examples = collectExamples(documents[0]!, 1);
  expect(examples.some((one) => one.right) && examples.some((one) => !one.right)).toBe(true);
  expect(examples.some((one) => one.field.startsWith('table_column_'))).toBe(true);
  const { weights, withoutSource } = learn(documents, []);
  expect(withoutSource).toHaveLength(16);
  expect(learn(documents, []).weights).toEqual(weights);
  const report = writeReport(withoutSource, undefined);
  expect(report).toMatch(/16 documents: header F1 \*\*[01]\.\d{3}\*\*/);
  expect(report).toContain('| document_id |');
  expect(drawReliability(calibrate(withoutSource))).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
});
