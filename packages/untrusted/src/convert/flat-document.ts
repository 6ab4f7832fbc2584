/** Of flat OpenDocument files. */
const NAMESPACES = ['office', 'style', 'table', 'text']
  .map((name) => ` xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join('');
const FO = 'urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0';
const CM_PER_CHARACTER = 0.22;
const WIDTHS_CM = [1.5, 12] as const;
/** A title above a table reaches over its columns. */
const LONGEST_WORD = 60;

/** A flat OpenDocument spreadsheet of texts. */
export function describeSheet(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    if (row.length === 1) continue;
    row.forEach((text, i) => {
      const longest = Math.min(Math.max(...text.split('\n').map((line) => line.length)), LONGEST_WORD);
      widths[i] = Math.max(widths[i] ?? 0, longest);
    });
  }
  const toCm = (characters: number) =>
    Math.min(Math.max(characters * CM_PER_CHARACTER, WIDTHS_CM[0]), WIDTHS_CM[1]).toFixed(2);
  const styles = widths.map(
    (width, i) =>
      `<style:style style:name="c${i}" style:family="table-column"><style:table-column-properties style:column-width="${toCm(width)}cm"/></style:style>`,
  );
  const wrapped = `<style:style style:name="w" style:family="table-cell"><style:table-cell-properties fo:wrap-option="wrap" style:vertical-align="top"/></style:style><style:style style:name="r" style:family="table-row"><style:table-row-properties style:use-optimal-row-height="true"/></style:style>`;
  const page = `<style:page-layout style:name="p"><style:page-layout-properties/></style:page-layout>`;
  const master = `<office:master-styles><style:master-page style:name="Default" style:page-layout-name="p"><style:header style:display="false"/><style:footer style:display="false"/></style:master-page></office:master-styles>`;
  const columns = widths.map((_, i) => `<table:table-column table:style-name="c${i}"/>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document${NAMESPACES} xmlns:fo="${FO}" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>${styles.join('')}${wrapped}${page}</office:automatic-styles>${master}<office:body><office:spreadsheet><table:table table:name="Sheet1">${columns.join('')}${rows.map(describeRow).join('')}</table:table></office:spreadsheet></office:body></office:document>`;
}

function describeRow(row: readonly string[]): string {
  const style = row.length > 1 ? ' table:style-name="w"' : '';
  const cells = row.map((text) => {
    if (text === '') return '<table:table-cell/>';
    const lines = text.split('\n').map((line) => `<text:p>${escapeXml(line)}</text:p>`);
    return `<table:table-cell${style} office:value-type="string">${lines.join('')}</table:table-cell>`;
  });
  return `<table:table-row table:style-name="r">${cells.join('') || '<table:table-cell/>'}</table:table-row>`;
}

function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML takes none of them.
      .replace(/[\u0000-\u001f\ufffe\uffff]|\p{Surrogate}/gu, ' ')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  );
}

/** A flat OpenDocument text: each row of one cell is a line, the others are tables. */
export function describeText(rows: readonly (readonly string[])[]): string {
  const parts: string[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const first = at;
    while ((rows[at]?.length ?? 0) > 1) at += 1;
    if (at > first) parts.push(describeTable(rows.slice(first, at), parts.length));
    const line = rows[at];
    if (line) parts.push(describeLines(line[0] ?? ''));
  }
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document${NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>${parts.join('')}</office:text></office:body></office:document>`;
}

function describeTable(rows: readonly (readonly string[])[], number: number): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const described = rows.map((row) => {
    const cells = Array.from({ length: columns }, (_, i) => describeLines(row[i] ?? ''));
    return `<table:table-row><table:table-cell>${cells.join('</table:table-cell><table:table-cell>')}</table:table-cell></table:table-row>`;
  });
  return `<table:table table:name="Table${number}"><table:table-column table:number-columns-repeated="${columns}"/>${described.join('')}</table:table>`;
}

function describeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => `<text:p>${escapeXml(line)}</text:p>`)
    .join('');
}
