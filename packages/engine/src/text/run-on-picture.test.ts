import sharp from 'sharp';
import { runOnPicture } from './run-on-picture';

test('a program finds the picture on its input as a TIFF', async () => {
  const picture = { data: Buffer.from([0, 40, 80, 120, 200, 255]), width: 3, height: 2 };
  const echo = ['-e', "process.stdout.write(require('node:fs').readFileSync(0).toString('base64'))"];
  const input = Buffer.from(await runOnPicture(process.execPath, picture, echo, 30_000), 'base64');
  expect((await sharp(input).metadata()).format).toBe('tiff');
  const { data, info } = await sharp(input).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 3, height: 2, channels: 1 });
  expect(data).toEqual(picture.data);
});
