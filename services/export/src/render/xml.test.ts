import type { ExportNode } from '@intake/schema';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { ExportRecord } from '../export/record';
import { collect, each, goldenRecord } from '../testing/golden';
import { renderXml } from './xml';

const pagination = { total: 1, total_pages: 1, next: null, previous: null };
const render = async (records: ExportRecord[], page: Parameters<typeof renderXml>[0] = pagination) =>
  (await collect(renderXml(page, each(records)))).join('');
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  trimValues: false,
});
const withValue = (value: string): ExportRecord => ({
  ...goldenRecord,
  content: [
    {
      category: 'section',
      schema_id: 's',
      children: [
        { category: 'datapoint', schema_id: 'd', rir_confidence: null, value, type: 'string' },
      ] as ExportNode[],
    },
  ],
});

describe('renderXml', () => {
  it('writes the example of export.md section 7', async () => {
    expect(await render([{ ...goldenRecord, assigned_at: '2024-10-13T21:35:00.000000Z' }])).toBe(
      [
        '<?xml version="1.0" encoding="utf-8"?>\n',
        '<export><results>',
        '<annotation url="https://docs.example.com/api/v1/annotations/315777">',
        '<status>exported</status>',
        '<arrived_at>2024-10-13T21:33:01.509000Z</arrived_at>',
        '<exported_at>2024-10-14T12:00:01.000000Z</exported_at>',
        '<document url="https://docs.example.com/api/v1/documents/315877"><file_name>invoice.pdf</file_name><file>https://docs.example.com/api/v1/documents/315877/content</file></document>',
        '<modifier url="https://docs.example.com/api/v1/users/11"><username>jane@example.com</username></modifier>',
        '<schema url="https://docs.example.com/api/v1/schemas/31336"></schema>',
        '<metadata><item key="project">A1</item></metadata>',
        '<content>',
        '<section schema_id="invoice_details_section">',
        '<datapoint rir_confidence="0.99" schema_id="document_id" type="string">12345</datapoint>',
        '</section>',
        '<section schema_id="line_items_section">',
        '<multivalue schema_id="line_items"><tuple schema_id="line_item"><datapoint schema_id="item_qty" type="number">2</datapoint></tuple></multivalue>',
        '</section>',
        '</content>',
        '<automated>false</automated>',
        '<modified_at>2024-10-13T21:40:00.000000Z</modified_at>',
        '<assigned_at>2024-10-13T21:35:00.000000Z</assigned_at>',
        '</annotation>',
        '</results>',
        '<pagination><next></next><previous></previous><total>1</total><total_pages>1</total_pages></pagination>',
        '</export>',
      ].join(''),
    );
  });

  it('leaves out dates that are not there and writes an empty modifier', async () => {
    const xml = await render([
      {
        ...goldenRecord,
        arrived_at: null,
        exported_at: null,
        modified_at: null,
        modifier: null,
        metadata: {},
        content: [],
      },
    ]);
    expect(xml).not.toMatch(/<(arrived|exported|modified|assigned)_at/);
    expect(xml).toContain('<modifier></modifier>');
    expect(xml).toContain('<metadata></metadata><content></content>');
  });

  it('writes no results and the neighbours of a page', async () => {
    expect(await render([], { total: 0, total_pages: 1, next: null, previous: null })).toContain(
      '<export><results></results><pagination>',
    );
    const page = { total: 9, total_pages: 3, next: 'http://h/api?a=1&page=3', previous: 'http://h/api?a=1&page=1' };
    expect(await render([], page)).toContain(
      '<next>http://h/api?a=1&amp;page=3</next><previous>http://h/api?a=1&amp;page=1</previous>',
    );
  });

  it('nests metadata', async () => {
    const metadata = { flat: 'x', deep: { a: 1, b: null }, list: ['p', { q: true }], '"<&>': '<' };
    expect(await render([{ ...goldenRecord, metadata }])).toContain(
      '<metadata><item key="flat">x</item><item key="deep"><item key="a">1</item><item key="b"></item></item>' +
        '<item key="list"><item>p</item><item><item key="q">true</item></item></item>' +
        '<item key="&quot;&lt;&amp;&gt;">&lt;</item></metadata>',
    );
  });

  it('escapes text, keeps new lines and drops what XML 1.0 does not allow', async () => {
    const xml = await render([withValue('a<b> & "c"\n\td\u0000\u0001\u001f\ufffe\ud800 🧾')]);
    expect(xml).toContain('type="string">a&lt;b&gt; &amp; "c"\n\td 🧾</datapoint>');
    expect(XMLValidator.validate(xml)).toBe(true);
  });

  it('is read back with its values', async () => {
    const value = ' <Müller & Söhne>\nzweite Zeile ]]> ';
    const read = parser.parse(await render([withValue(value)]));
    expect(read.export.results.annotation.content.section.datapoint).toEqual({
      '#text': value,
      '@schema_id': 'd',
      '@type': 'string',
    });
  });
});
