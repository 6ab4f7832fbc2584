import type { Recognition } from '@intake/engine';
import { turn } from './turn';

const read: Recognition = {
  pages: [
    {
      number: 1,
      width: 100,
      height: 200,
      rotation: 0,
      source: 'text',
      words: [{ text: 'INV', position: [10, 20, 40, 30], line: 0, confidence: 1 }],
    },
  ],
  pageCount: 1,
  fields: { document_id: [{ value: 'INV', rawText: 'INV', page: 1, position: [10, 20, 40, 30], confidence: 1 }] },
  tables: {},
  language: null,
  engineVersion: '1',
};

it.each([
  [0, [10, 20, 40, 30]],
  [90, [170, 10, 180, 40]],
  [180, [60, 170, 90, 180]],
  [270, [20, 60, 30, 90]],
])('turned by %i degrees a box is where the page shows it', (degrees, expected) => {
  const { pages, fields } = turn(read, degrees);
  expect([pages[0]?.words[0]?.position, fields.document_id?.[0]?.position]).toEqual([expected, expected]);
});
