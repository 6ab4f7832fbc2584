import { beginsLikeHtml } from './html-rows';
import { documentOfText } from './text-form';

const sheetOfHtml = (html: Buffer) => documentOfText(html, 'html', 'calc') ?? '';

const cellsOf = (html: string | Buffer) =>
  [...sheetOfHtml(Buffer.from(html)).matchAll(/<table:table-row.*?<\/table:table-row>/g)].map(([row]) =>
    [...row.matchAll(/<table:table-cell(?:\/>|[^>]*>(.*?)<\/table:table-cell>)/g)].map(([, text = '']) =>
      text.replace(/<\/text:p><text:p>/g, '\n').replace(/<\/?text:p>/g, ''),
    ),
  );

it('makes rows of tables, and of the lines between them', () => {
  const html = `<html><head><title>no</title><style>td { x }</style></head><body><h1>Invoice 0012</h1>
    <table><tr><th>Item<th colspan="2">Price<tr><td rowspan=2>A &amp; B<br>large</td><td>1.234,50&nbsp;&euro;</td><td>x</td></tr>
    <tr><td>0042</td><td>5 < 6</td></tr></table><p>Total: 7</p></body></html>`;
  expect(cellsOf(html)).toEqual([
    ['Invoice 0012'],
    ['Item', 'Price', ''],
    ['A &amp; B\nlarge', '1.234,50 €', 'x'],
    ['', '0042', '5 &lt; 6'],
    ['Total: 7'],
  ]);
});

it('takes nothing along that could be fetched or run', () => {
  const html = `<table><tr><td>a<img src="http://x/i.png" alt="&lt;img src=http://x&gt;"><a href="file:///etc/passwd">b</a></td>
    <script>document.write('<td>evil</td>')</script><td>&lt;draw:image xlink:href="file:///etc/passwd"/&gt;=HYPERLINK("http://x")</td>
    <!-- <td>c</td> --><iframe src=http://x></iframe><link rel=stylesheet href=http://x></tr></table>`;
  const sheet = sheetOfHtml(Buffer.from(html));
  expect(cellsOf(html)).toEqual([['ab', expect.stringContaining('&lt;draw:image')]]);
  const tags = [...sheet.matchAll(/<\/?([\w:?]+)/g)].map(([, name]) => name);
  expect([...new Set(tags)].filter((name) => !/^(?:\?xml|office:|style:|table:|text:p)/.test(name ?? ''))).toEqual([]);
  expect(sheet).not.toMatch(/<[^>]*(?:href|src|formula)/);
});

it.each([
  ['named', Buffer.from('<meta charset="windows-1250"><table><tr><td>P\xf8ijato<td>x', 'latin1'), 'Přijato'],
  ['not named', Buffer.from('<table><tr><td>Stra\xdfe 5 \x80<td>x', 'latin1'), 'Straße 5 €'],
  ['UTF-8', Buffer.from('\ufeff<table><tr><td>Straße<td>x'), 'Straße'],
  ['UTF-16', Buffer.from('\ufeff<table><tr><td>Straße<td>x', 'utf16le'), 'Straße'],
  ['unknown', Buffer.from('<meta charset=nonsense><table><tr><td>\xe9t\xe9<td>x', 'latin1'), 'été'],
])('reads an encoding that is %s', (_, bytes, expected) => expect(cellsOf(bytes)[0]).toEqual([expected, 'x']));

it('takes a large file and spans without end in little time', () => {
  const begin = Date.now();
  const rows = '<tr><td rowspan=999999 colspan=999999>a<td>b</td></tr>'.repeat(2000);
  expect(cellsOf(`<table>${rows}${'<'.repeat(200_000)}${'<!--'.repeat(50_000)}`).length).toBeGreaterThan(1999);
  expect(Date.now() - begin).toBeLessThan(10_000);
});

it('knows what begins like HTML', () => {
  expect(['<HTML>', '\n<table >', '<!doctype HTML>', '<meta a>'].every(beginsLikeHtml)).toBe(true);
  expect(['<htmlx>', 'text', '<?xml?><html>', '<!DOCTYPE x>'].some(beginsLikeHtml)).toBe(false);
});
