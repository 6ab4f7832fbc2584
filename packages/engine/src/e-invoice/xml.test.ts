import { findAll, parseXml, textAt } from './xml';

const parse = (text: string) => parseXml(Buffer.from(text));

test('elements without prefixes, text with its characters', () => {
  const root = parse(
    '<a:x xmlns:a="u" n="&quot;1&quot;"><a:y> A &amp; B &#233;&#x20ac; </a:y><y><![CDATA[&amp;<]]></y></a:x>',
  );
  expect(root).toMatchObject({ name: 'x', attributes: { 'xmlns:a': 'u', n: '"1"' } });
  expect(findAll(root, 'y').map((one) => one.text)).toEqual(['A & B é€', '&amp;<']);
  expect(textAt(root, 'z', 'z|y')).toBe('A & B é€');
});

test('an entity is resolved once', () => {
  expect(parse('<x>&amp;lt; &unknown;</x>').text).toBe('&lt; &unknown;');
});

test('other encodings', () => {
  expect(parseXml(Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><x>é</x>', 'latin1')).text).toBe('é');
  const euro = Buffer.from('<?xml version="1.0" encoding="windows-1252"?><x>\u0080</x>', 'latin1');
  expect(parseXml(euro).text).toBe('€');
  const declared = '<?xml version="1.0" encoding="UTF-16"?><x>é</x>';
  for (const text of [declared, `\ufeff${declared}`, '\ufeff<x>é</x>', '<x>é</x>']) {
    const wide = Buffer.from(text, 'utf16le');
    expect(parseXml(wide).text).toBe('é');
    expect(parseXml(Buffer.from(wide).swap16()).text).toBe('é');
  }
  // What somebody has saved in another encoding than it says.
  expect(parse(declared).text).toBe('é');
  expect(parse('\ufeff<?xml version="1.0" encoding="windows-1252"?><x>é</x>').text).toBe('é');
  expect(parseXml(Buffer.from("<?xml version='1.0' encoding = 'iso-8859-1'?><x>é</x>", 'latin1')).text).toBe('é');
});

test.each([
  ['<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', /DOCTYPE/],
  ['<x><y></x>', /well-formed/],
  [`${'<x>'.repeat(200)}${'</x>'.repeat(200)}`, /nested/],
  [`${'<x>'.repeat(100_000)}${'</x>'.repeat(100_000)}`, /nested/],
  [`<x>${'<y/>'.repeat(700_000)}</x>`, /too many/],
  ['', /no content|well-formed/],
])('%.20s... is refused', (text, message) => {
  expect(() => parse(text)).toThrow(message);
});
