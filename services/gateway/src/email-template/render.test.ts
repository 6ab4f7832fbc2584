import { escapeHtml, placeholdersIn, renderHtml, renderText, toHtmlList } from './render';

const values = {
  text: new Map([
    ['sender_email', 'a&b@example.com'],
    ['annotation.content.value.amount_total', '<b>1</b>'],
    ['two', 'first\r\nBcc: x@example.com'],
    ['again', '{{ sender_email }}'],
  ]),
  html: new Map([['document_list', toHtmlList(['a<b>.pdf', 'c.pdf'])]]),
};

it('fills placeholders with and without blanks, escapes what stands in HTML, and leaves unknown ones empty', () => {
  expect(renderHtml('<p>{{sender_email}} {{ annotation.content.value.amount_total }}{{ nobody }}</p>', values)).toBe(
    '<p>a&amp;b@example.com &lt;b&gt;1&lt;/b&gt;</p>',
  );
  expect(renderHtml('{{ document_list }}', values)).toBe('<ul><li>a&lt;b&gt;.pdf</li><li>c.pdf</li></ul>');
});

it('evaluates nothing: no filters, no values of values', () => {
  expect(renderHtml('{{ sender_email|upper }} {{ again }}', values)).toBe(
    '{{ sender_email|upper }} {{ sender_email }}',
  );
});

it('keeps a subject on one line', () => {
  expect(renderText('Re: {{ two }}', values)).toBe('Re: first Bcc: x@example.com');
});

it('knows what a text asks for', () => {
  expect(placeholdersIn('{{ a }} {{b.c}} {{ a }} {{ d e }}')).toEqual(['a', 'b.c']);
  expect(escapeHtml(`<'"&>`)).toBe('&lt;&#39;&quot;&amp;&gt;');
});
