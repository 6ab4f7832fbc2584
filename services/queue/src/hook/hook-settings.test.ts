import { findMismatches } from './hook-settings';

const TEXTS = { type: 'object', additionalProperties: { type: 'string' } };

describe('settings of a hook', () => {
  it('match their schema, or say what does not', () => {
    expect(findMismatches(TEXTS, { name: 'a text' })).toEqual([]);
    expect(findMismatches(TEXTS, { name: 5 })).toHaveLength(2);
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
    expect(findMismatches(TEXTS, settings)).toEqual([]);
  });

  it('are refused with a schema that would be checked for ever', () => {
    const endless = { type: 'object', additionalProperties: { type: 'string', pattern: '^(a+)+$' } };
    expect(findMismatches(endless, { name: `${'a'.repeat(40)}!` })).toEqual(['The schema takes too long to check.']);
  });
});
