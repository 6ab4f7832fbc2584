import type { SchemaContent } from '@intake/schema';
import { connectorContent } from './connector-payload';

const schema = [
  {
    category: 'section',
    id: 's',
    label: 'S',
    children: [
      { category: 'datapoint', id: 'date', label: 'D', type: 'date' },
      { category: 'datapoint', id: 'press', label: 'P', type: 'button' },
    ],
  },
] as unknown as SchemaContent;

it('shows the content flat, with text ids and normalized values', () => {
  const nodes = [
    {
      id: 1,
      category: 'section',
      schema_id: 's',
      children: [
        {
          id: 2,
          category: 'datapoint',
          schema_id: 'date',
          content: {
            value: '31/01/2026',
            normalized_value: '2026-01-31',
            page: 1,
            position: [1, 2, 3, 4],
            rir_position: null,
            rir_confidence: 0.5,
            ocr_text: null,
          },
          validation_sources: ['score'],
        },
        { id: 3, category: 'datapoint', schema_id: 'press', content: null, validation_sources: ['NA'] },
      ],
    },
  ];
  expect(connectorContent(nodes, schema)).toEqual([
    {
      id: '1',
      category: 'section',
      schema_id: 's',
      children: [
        {
          ...{ id: '2', category: 'datapoint', schema_id: 'date', page: 1, position: [1, 2, 3, 4], rir_position: null },
          ...{ rir_confidence: 0.5, value: '2026-01-31', validation_sources: ['score'], type: 'date' },
        },
        {
          ...{ id: '3', category: 'datapoint', schema_id: 'press', page: null, position: null, rir_position: null },
          ...{ rir_confidence: null, value: null, validation_sources: ['NA'], type: 'button' },
        },
      ],
    },
  ]);
});
