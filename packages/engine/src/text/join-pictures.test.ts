import sharp from 'sharp';
import { readPages, renderPage } from '../index';
import { joinPictures } from './join-pictures';

const blank = (width: number, height: number, background = '#fff') =>
  sharp({ create: { width, height, channels: 3, background } });

test('pictures become the pages of one PDF, in order, upright, as large as they say', async () => {
  const photo = await blank(400, 300, '#f00').withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const scan = await blank(1240, 1754).withMetadata({ density: 150 }).png().toBuffer();
  const sheets = [await blank(50, 50).png().toBuffer(), await blank(50, 50).png().toBuffer()];
  const tiff = await sharp(sheets, { join: { animated: true } })
    .tiff()
    .toBuffer();
  const webp = await blank(80, 60).webp().toBuffer();
  const pdf = await joinPictures([photo, scan, tiff, webp]);
  const pages = await readPages(pdf, 'application/pdf');
  expect(pages.map(({ width, height }) => [width, height])).toEqual([
    [1316, 1754],
    [1240, 1754],
    [1754, 1754],
    [1754, 1754],
    [1754, 1316],
  ]);
  const { png } = await renderPage(pdf, 'application/pdf', 1);
  const { data } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect([data[0]! > 240, data[1]! < 15]).toEqual([true, true]);
});

test('the same pictures give the same bytes', async () => {
  const pictures = [await blank(30, 40).png().toBuffer(), await blank(40, 30).jpeg().toBuffer()];
  expect((await joinPictures(pictures)).equals(await joinPictures(pictures))).toBe(true);
});

test('the picture that cannot be read is named', async () => {
  const good = await blank(30, 40).png().toBuffer();
  await expect(joinPictures([good, good.subarray(0, 30)])).rejects.toMatchObject({
    name: 'UnreadableDocument',
    message: expect.stringMatching(/^Picture 2: .*damaged/),
  });
});
