import { fitToWidth, isLongSheet, isOfficeType, isOnlyNamed, widenColumns, withoutHiddenSheets } from './office';

it('widens the columns of sheets and leaves everything else', () => {
  const column = (width: string) =>
    `<style:style style:name="co1"><style:table-column-properties fo:break-before="auto" style:column-width="${width}"/></style:style>`;
  expect(widenColumns(column('2.258cm') + column('1in'))).toBe(column('3.8386cm') + column('1.7000in'));
  expect(widenColumns('<text:p>style:column-width is wide</text:p>')).toBe(
    '<text:p>style:column-width is wide</text:p>',
  );
});

it('puts a long sheet on pages of its width, all of it', () => {
  const sheet = (rows: number) =>
    `<table:table table:name="s" table:print-ranges="s.A1:s.B2">${'<table:table-row/>'.repeat(rows)}</table:table>`;
  expect(isLongSheet(sheet(100) + sheet(100))).toBe(false);
  expect(isLongSheet(sheet(2) + sheet(200))).toBe(true);
  expect(
    fitToWidth(
      '<style:page-layout-properties fo:margin-top="1in" style:scale-to="80%"/><table:table table:print-ranges="s.A1"/>',
    ),
  ).toBe('<style:page-layout-properties style:scale-to-X="1" style:scale-to-Y="0" fo:margin-top="1in"/><table:table/>');
});

it('leaves hidden sheets out, and what was computed from them as it was computed', () => {
  const style = (name: string, isShown: boolean) =>
    `<style:style style:name="${name}" style:family="table" style:master-page-name="x">\n   <style:table-properties table:display="${isShown}"/></style:style>`;
  const sheet = (name: string, content: string) =>
    `<table:table table:name="${name}" table:style-name="${name}">${content}</table:table>`;
  const chart = '<table:table table:name="local-table"><table:table-row/></table:table><table:table table:name="x"/>';
  const styles = style('a', true) + style('b', false) + style('c', true);
  const cell = (formula: string) =>
    `<table:table-cell${formula} office:value="7"><text:p>7</text:p></table:table-cell>`;
  const formula = ' table:formula="of:=[$b.A1]"';
  expect(
    withoutHiddenSheets(styles + sheet('a', cell(formula) + chart) + sheet('b', chart + cell('')) + sheet('c', 'x')),
  ).toBe(styles + sheet('a', cell('') + chart) + sheet('c', 'x'));
  const shown = style('a', true) + sheet('a', cell(formula));
  expect(withoutHiddenSheets(shown)).toBe(shown);
});

it('knows what is read through LibreOffice', () => {
  expect(isOfficeType('application/vnd.ms-excel')).toBe(true);
  expect(['application/pdf', 'toString', 'application/vnd.ms-powerpoint'].filter(isOfficeType)).toEqual([]);
});

describe('a file that only has the name of an office file', () => {
  const DOC = 'application/msword';
  const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const noise = Buffer.from(Array.from({ length: 60_001 }, (_, i) => Math.imul(i, 2654435761) >>> 13));
  const ole = (text: string) =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), noise, Buffer.from(text, 'utf16le')]);

  it.each([
    [DOC, ole('WordDocument'), false],
    [DOC, ole('Workbook'), true],
    ['application/vnd.ms-excel', ole('Workbook'), false],
    [DOC, Buffer.from('This is text.'), true],
    [DOCX, Buffer.from('PK\x03\x04...'), false],
    [DOCX, Buffer.alloc(2000, 7), true],
    [DOCX, ole('EncryptedPackage'), false],
    [DOCX, ole('WordDocument'), true],
    ['application/rtf', Buffer.from('{\\rtf1 x}'), false],
    ['application/rtf', Buffer.from('x'), true],
    ['application/rtf', Buffer.from('PK\x03\x04...'), true],
    [DOC, Buffer.from('{\\rtf1 x}'), false],
  ])('is known (%s)', (type, bytes, expected) => {
    expect(isOnlyNamed(bytes, type)).toBe(expected);
    // As they come from another process: at any address.
    const shifted = Buffer.concat([Buffer.alloc(1), bytes]).subarray(1);
    expect(isOnlyNamed(shifted, type)).toBe(expected);
  });
});
