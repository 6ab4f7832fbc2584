import sharp from 'sharp';
import { readPages, renderPage } from '../index';
import { joinPictures } from './join-pictures';

const blank = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#fff' } });

test('a picture taken with the camera turned is shown upright', async () => {
  const bytes = await blank(400, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect(await readPages(bytes, 'image/jpeg')).toEqual([{ number: 1, width: 300, height: 400, rotation: 0 }]);
  expect(await renderPage(bytes, 'image/jpeg', 1)).toMatchObject({ width: 300, height: 400 });
});

test('a transparent picture stands on white', async () => {
  const bytes = await sharp({ create: { width: 10, height: 10, channels: 4, background: '#0000' } })
    .png()
    .toBuffer();
  const { png } = await renderPage(bytes, 'image/png', 1);
  const { data } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect(data[0]).toBe(255);
});

test('a large picture is made smaller', async () => {
  const bytes = await blank(4000, 1000).png().toBuffer();
  expect(await renderPage(bytes, 'image/png', 1)).toMatchObject({ width: 2000, height: 500 });
  expect(await renderPage(bytes, 'image/png', 1, { longestSide: 512 })).toMatchObject({ width: 512, height: 128 });
});

test('every page of a TIFF', async () => {
  const pages = await Promise.all(
    ['#f00', '#0f0', '#00f'].map((background) =>
      sharp({ create: { width: 60, height: 80, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const bytes = await sharp(pages, { join: { animated: true } })
    .tiff()
    .toBuffer();
  expect(await readPages(bytes, 'image/tiff')).toHaveLength(3);
  const { png } = await renderPage(bytes, 'image/tiff', 3);
  const { data } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect(data[0]).toBeLessThan(5);
  expect(data[2]).toBeGreaterThan(250);
});

test.each([
  ['standard', 204, 98, 1078, 1271],
  ['superfine', 204, 392, 4312, 1270],
])(
  'a fax (%s), whose pixels are no squares, is shown as the sheet that it is',
  async (_name, across, down, lines, width) => {
    const fax = await blank(1728, lines)
      .tiff({ resolutionUnit: 'inch', xres: across / 25.4, yres: down / 25.4 })
      .toBuffer();
    const page = { width, height: 1650 };
    expect(await readPages(fax, 'image/tiff')).toEqual([{ ...page, number: 1, rotation: 0 }]);
    expect(await renderPage(fax, 'image/tiff', 1)).toMatchObject(page);
    const [sheet] = await readPages(await joinPictures([fax]), 'application/pdf');
    expect(sheet).toMatchObject(page);
  },
);

test('a picture of a billion pixels in a few bytes is refused', async () => {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452000080000000800008000000005edf3c8a', 'hex');
  await expect(readPages(header, 'image/png')).rejects.toMatchObject({ name: 'UnreadableDocument' });
});

test.each(['image/png', 'image/jpeg', 'image/tiff'])('bytes that are no %s are refused', async (mimeType) => {
  await expect(renderPage(Buffer.from('no picture'), mimeType, 1)).rejects.toMatchObject({ reason: 'corrupt' });
});
