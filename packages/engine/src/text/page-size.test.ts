import { sizeOfPdfPage, sizeOfPicture } from './page-size';

test('150 DPI, the longest side at most 2000 pixels', () => {
  expect(sizeOfPdfPage(595.28, 841.89)).toEqual([1240, 1754]);
  expect(sizeOfPdfPage(612, 792)).toEqual([1275, 1650]);
  expect(sizeOfPdfPage(841.89, 1190.55)).toEqual([1414, 2000]);
  expect(sizeOfPdfPage(14400, 72)).toEqual([2000, 10]);
});

test('a smaller image keeps the shape, a larger one is not made', () => {
  expect(sizeOfPdfPage(595.28, 841.89, 512)).toEqual([362, 512]);
  expect(sizeOfPdfPage(595.28, 841.89, 5000)).toEqual([1240, 1754]);
});

test('nonsense sizes do not reach the renderer', () => {
  expect(sizeOfPdfPage(0, Number.NaN)).toEqual([1275, 1650]);
  expect(sizeOfPdfPage(0.001, 100_000)).toEqual([1, 2000]);
});

test('pictures: a believable resolution is used, any other left alone', () => {
  expect(sizeOfPicture(2480, 3508, 300)).toEqual([1240, 1754]);
  expect(sizeOfPicture(1000, 1500, 72)).toEqual([1000, 1500]);
  expect(sizeOfPicture(4000, 3000, 72)).toEqual([2000, 1500]);
  // 600 DPI would make this a postage stamp.
  expect(sizeOfPicture(800, 1000, 600)).toEqual([800, 1000]);
  expect(sizeOfPicture(1000, 1500, undefined)).toEqual([1000, 1500]);
});
