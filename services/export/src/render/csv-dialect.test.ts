import { exporting } from '@intake/contracts';
import { readDialect } from './csv-dialect';

const read = (given: Partial<exporting.CsvDialect>) => readDialect(exporting.CsvDialect.fromPartial(given));

describe('readDialect', () => {
  it('has the defaults', () => {
    const defaults = { delimiter: ',', quoteChar: '"', quoting: 'quote_minimal', escapeChar: '', formulaGuard: false };
    expect(readDialect(undefined)).toEqual(defaults);
    expect(read({})).toEqual(defaults);
  });

  it('takes what is given, a tab and a character outside of the BMP too', () => {
    expect(read({ delimiter: '\t', quoteChar: '🧾', quoting: 'quote_all', formulaGuard: true })).toMatchObject({
      delimiter: '\t',
      quoteChar: '🧾',
      quoting: 'quote_all',
      formulaGuard: true,
    });
  });

  it.each([
    [{ delimiter: ';;' }, { delimiter: ['Enter exactly one character.'] }],
    [{ delimiter: '\n' }, { delimiter: ['A line end cannot be used here.'] }],
    [
      { delimiter: 'ab', quoteChar: 'ab' },
      { delimiter: [expect.any(String)], quote_char: [expect.any(String)] },
    ],
    [{ quoting: 'always' }, { quoting: ['Select a valid choice. always is not one of the available choices.'] }],
    [{ quoting: 'quote_none' }, { escape_char: ['This parameter is required with quote_none.'] }],
    [{ quoting: 'quote_none', escapeChar: '\\\\' }, { escape_char: ['Enter exactly one character.'] }],
    [{ quoteChar: ',' }, { quote_char: ['Must differ from the delimiter.'] }],
    [{ delimiter: '"', quoteChar: "'" }, { delimiter: ['This character cannot be used here.'] }],
    [{ quoting: 'quote_none', escapeChar: ',' }, { escape_char: ['Must differ from the delimiter.'] }],
  ])('refuses %j', (given, fields) => {
    expect(() => read(given)).toThrow(expect.objectContaining({ reason: 'INVALID', fields }));
  });
});
