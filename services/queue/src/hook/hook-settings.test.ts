import { checkBySchema, findSchemaProblems } from './hook-settings';

const FINE = { mismatches: [], problem: null };
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } };

describe('settings of a hook', () => {
  it('match their schema, or say what does not', () => {
    expect(checkBySchema(TEXTS, { name: 'a text' })).toEqual(FINE);
    expect(checkBySchema(TEXTS, { name: 5 }).mismatches).toHaveLength(2);
  });

  it('are not refused because the machine was busy elsewhere', () => {
    let readings = 0;
    const settings = {
      get name() {
        readings += 1;
        // The clock goes on, the processor does something else.
        if (readings === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
        return 'a text';
      },
    };
    expect(checkBySchema(TEXTS, settings)).toEqual(FINE);
  });

  it('are refused with a schema that would be checked for ever', () => {
    const endless = { type: 'object', additionalProperties: { type: 'string', pattern: '^(a+)+$' } };
    expect(checkBySchema(endless, { name: `${'a'.repeat(40)}!` })).toEqual({
      mismatches: [],
      problem: 'The schema takes too long to check.',
    });
  });

  it('are not at fault when their schema is none', () => {
    expect(checkBySchema({ $ref: '#/definitions/nowhere' }, { name: 'a text' })).toEqual({
      mismatches: [],
      problem: expect.stringContaining('The schema cannot be used'),
    });
  });
});

describe('a schema of settings', () => {
  it.each([
    [TEXTS],
    [{}],
    [{ type: ['string', 'null'], items: [{}, true], additionalProperties: false, not: { $ref: '#' } }],
    [{ title: 'of any other key nothing is said', 'x-own': 5 }],
  ])('%j is one', (schema) => expect(findSchemaProblems(schema)).toEqual([]));

  it.each([
    [{ type: 'text' }],
    [{ properties: { a: 'string' } }],
    [{ properties: { a: { items: { type: [5] } } } }],
    [{ required: 'a' }],
    [{ anyOf: {} }],
  ])('%j is none', (schema) => expect(findSchemaProblems(schema)).not.toEqual([]));
});
