import { walkHtml } from './html';

function walk(html: string): string[] {
  const told: string[] = [];
  walkHtml(html, new Set(['script']), {
    onText: (text) => told.push(text),
    onTag: (name, attributes) => told.push(`<${name}${attributes}>`),
  });
  return told;
}

it('tells texts and tags in their order', () => {
  expect(walk('a<TD CLASS="X">b &amp; c</td>5 < 6<!-- <b> -->d<br/>')).toEqual([
    ...['a', '<td class="x">', 'b &amp; c', '</td>', '5 ', '<', ' 6', 'd', '<br/>'],
  ]);
});

it('leaves letters where they stand that become two in small letters', () => {
  expect(walk('İİİİ <B>İSTANBUL</B> LTD')).toEqual(['İİİİ ', '<b>', 'İSTANBUL', '</b>', ' LTD']);
});

it('leaves out what is in silent elements, closed or not', () => {
  expect(walk('a<SCRIPT>b < c</script>d<script>e')).toEqual(['a', '<script>', '</script>', 'd', '<script>']);
  expect(walk('a<b')).toEqual(['a', '<b>']);
});
