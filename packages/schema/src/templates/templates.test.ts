import { checkSchemaContent } from '../checking/check-schema';
import { schemaIndex } from '../schema-index';
import { templateByName } from '.';

describe('templateByName', () => {
  it.each([
    'Tax Invoice EU Demo Template',
    'Tax Invoice US Demo Template',
    'Tax Invoice UK Demo Template',
    'CZ Demo Template',
    'Delivery Note Demo Template',
  ])('has a correct schema: %s', (name) => {
    const template = templateByName(name);
    expect(template?.name).toBe(name);
    expect(checkSchemaContent(template?.content)).toBeNull();
  });

  it('knows the old short names', () => {
    for (const country of ['EU', 'US', 'UK']) {
      expect(templateByName(`${country} Demo Template`)?.name).toBe(`Tax Invoice ${country} Demo Template`);
    }
  });

  it('has one that is empty', () => {
    expect(templateByName('Empty Organization Template')?.content).toEqual([]);
  });

  it('does not know others', () => {
    expect(templateByName('constructor')).toBeUndefined();
    expect(templateByName('')).toBeUndefined();
  });

  it('asks of an invoice only what every invoice has', () => {
    const { datapoints } = schemaIndex(templateByName('EU Demo Template')!.content);
    const required = [...datapoints.values()].filter((datapoint) => datapoint.constraints?.required !== false);
    expect(required.map((datapoint) => datapoint.id)).toEqual(['document_id', 'date_issue', 'amount_total']);
  });
});
