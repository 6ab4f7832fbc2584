import { stripTags } from './strip-tags';

describe('text of an HTML mail', () => {
  it.each([
    ['<p>Hello <b>world</b></p>', 'Hello world'],
    ['a<br>b<br/>c', 'a\nb\nc'],
    ['<style>p{}</style><script>alert(1)</script>text', 'text'],
    ['1 &lt; 2 &amp;&#x41;&#66;&nbsp;&unknown;', '1 < 2 &AB &unknown;'],
    ['<head><title>x</title></head><body>y</body>', 'y'],
    ['Gr&uuml;&szlig;e, &euro;&nbsp;100 &ndash; a&amp;lt;b', 'Grüße, € 100 – a&lt;b'],
    ['one<div>two<div>three</div></div>four', 'one\ntwo\nthree\n\nfour'],
    ['<div>\n <p>one</p><ul><li>two</li></ul></div>', 'one\ntwo'],
    ['Total<table><tr><td>1</td><td>2</td></tr></table>', 'Total\n1 2'],
    ['', ''],
  ])('%j -> %j', (html, text) => {
    expect(stripTags(html)).toBe(text);
  });
  it('is quick on input made to be slow', () => {
    const started = Date.now();
    stripTags('<script'.repeat(200_000));
    stripTags(`<${' '.repeat(200_000)}`);
    expect(Date.now() - started).toBeLessThan(1000);
  });
});
