import type { Content, ContentNode, SchemaNode } from '../api/types';
import { indexSchema } from '../review/content';
import { countedFields, outcomeAt, type PastValue, pastValues } from './past';

const field = (id: string, more: Partial<SchemaNode> = {}): SchemaNode => ({
  id,
  label: id,
  category: 'datapoint',
  type: 'string',
  rir_field_names: [id],
  ...more,
});
const index = indexSchema([
  {
    id: 'basic',
    label: 'Basic',
    category: 'section',
    children: [
      field('number'),
      field('sum', { score_threshold: 0.5 }),
      field('typed', { rir_field_names: [] }),
      field('note', { rir_field_names: [], constraints: { required: false } }),
      field('currency', { rir_field_names: [], default_value: 'EUR', constraints: { required: false } }),
      field('secret', { hidden: true }),
      field('computed', { formula: '1' }),
      field('press', { type: 'button' }),
    ],
  },
]);
const node = (schema_id: string, read: string | null, value: string, confidence: number | null, sources = ['human']) =>
  ({
    schema_id,
    category: 'datapoint',
    content: { value, rir_text: read, rir_confidence: confidence } as Content,
    validation_sources: sources,
  }) as unknown as ContentNode;

it('counts what people fill in', () => {
  expect(countedFields(index)).toEqual(['number', 'sum', 'typed', 'note', 'currency']);
});

it('tells how sure the engine was, and whether somebody corrected it', () => {
  const values = pastValues(
    [
      node('number', 'A-1', 'A-1', 0.9),
      node('number', 'A-1', 'A-2', 0.8),
      node('number', 'A-1', 'A-1', 0.4, ['checks']),
      node('sum', null, '', null),
      node('sum', null, '5', null),
      node('typed', null, 'x', null),
      node('currency', null, 'EUR', null),
      node('secret', 'a', 'b', 0.1),
      node('gone', 'a', 'b', 0.1),
    ],
    index,
  );
  expect(values.map(({ always }) => always)).toEqual([null, null, 'passes', 'passes', 'passes', 'asks', 'passes']);
  expect(values.map(({ isCorrected }) => isCorrected)).toEqual([false, true, false, false, true, true, false]);
  expect(values[3]?.threshold).toBe(0.5);
});

it('says what a threshold would have automated, and how much of it was wrong', () => {
  const value = (confidence: number, isCorrected = false, threshold: number | null = null): PastValue => ({
    confidence,
    isCorrected,
    threshold,
    always: null,
  });
  const asked: PastValue = { confidence: null, threshold: null, always: 'asks', isCorrected: true };
  const documents = [
    [value(0.99), value(0.97)],
    [value(0.99), value(0.9, true)],
    [value(0.99), value(0.6, false, 0.5)],
    [value(0.99), asked],
  ];
  expect(outcomeAt(documents, 0.8)).toEqual({
    documents: 4,
    automated: 3,
    automatedWrong: 1,
    values: 8,
    passed: 7,
    passedWrong: 1,
  });
  expect(outcomeAt(documents, 0.95)).toMatchObject({ automated: 2, automatedWrong: 0 });
  expect(outcomeAt(documents, 1)).toMatchObject({ automated: 0, passed: 1 });
  expect(outcomeAt([], 0.5)).toMatchObject({ documents: 0, automated: 0 });
});
