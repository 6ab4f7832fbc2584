import { isOfficeType, widenColumns } from './office';

it('widens the columns of sheets and leaves everything else', () => {
  const column = (width: string) =>
    `<style:style style:name="co1"><style:table-column-properties fo:break-before="auto" style:column-width="${width}"/></style:style>`;
  expect(widenColumns(column('2.258cm') + column('1in'))).toBe(column('3.8386cm') + column('1.7000in'));
  expect(widenColumns('<text:p>style:column-width is wide</text:p>')).toBe(
    '<text:p>style:column-width is wide</text:p>',
  );
});

it('knows what is read through LibreOffice', () => {
  expect(isOfficeType('application/vnd.ms-excel')).toBe(true);
  expect(['application/pdf', 'toString', 'application/vnd.ms-powerpoint'].filter(isOfficeType)).toEqual([]);
});
