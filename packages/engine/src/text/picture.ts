import sharp, { type Metadata } from 'sharp';
import type { PageSize } from '../recognition';
import { UnreadableDocument } from '../unreadable-document';
import { type OcrRun, readPicture } from './ocr';
import { checkPageCount } from './page-count';
import { believeDensity, sizeOfPicture } from './page-size';
import type { PageText } from './page-text';
import { pixelShape } from './pixel-shape';

/** More pixels than a page at 600 DPI in A2 has. */
const MAX_PIXELS = 150_000_000;

/** A page of a picture, of which nothing is read yet. */
export const openPicture = (bytes: Uint8Array, page = 0) =>
  sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', page, sequentialRead: true });

/** What is said of a picture that cannot be read. Throws UnreadableDocument. */
export function refusePicture(error: unknown): never {
  if (error instanceof UnreadableDocument) throw error;
  const message = error instanceof Error ? error.message : String(error);
  if (/pixel limit/i.test(message)) {
    throw new UnreadableDocument(
      'unsupported',
      `The picture has too many pixels; at most ${MAX_PIXELS / 1e6} million are read.`,
      { cause: error },
    );
  }
  throw new UnreadableDocument('corrupt', 'The picture is damaged and cannot be read.', { cause: error });
}

/** A page of a picture as it is to be seen: upright, and with pixels as wide as high. */
export interface Measured {
  readonly wide: number;
  readonly high: number;
  /** Pixels in an inch, as the picture says. */
  readonly density: number | undefined;
  readonly metadata: Metadata;
}

/** Measures a page of a picture. Throws UnreadableDocument. */
export async function measurePicture(bytes: Uint8Array, index: number): Promise<Measured> {
  const metadata = await openPicture(bytes, index).metadata().catch(refusePicture);
  const shape = pixelShape(bytes, index);
  const width = Math.round(metadata.width * Math.max(1, 1 / shape));
  const height = Math.round(metadata.height * Math.max(1, shape));
  const [wide, high] = (metadata.orientation ?? 1) >= 5 ? [height, width] : [width, height];
  return { wide, high, density: metadata.density && metadata.density * Math.max(1, 1 / shape), metadata };
}

function sizeOfPage({ wide, high, density }: Measured, index: number): PageSize {
  const [width, height] = sizeOfPicture(wide, high, density);
  return { number: index + 1, width, height, rotation: 0 };
}

/** Number of pages of a picture; only TIFF has several, an animation counts as one. */
export async function countPages(bytes: Uint8Array): Promise<number> {
  const metadata = await openPicture(bytes).metadata().catch(refusePicture);
  return metadata.format === 'tiff' ? (metadata.pages ?? 1) : 1;
}

/** Sizes of the pages of a picture. */
export async function readPicturePages(bytes: Uint8Array): Promise<PageSize[]> {
  const count = await countPages(bytes);
  checkPageCount(count);
  const sizes: PageSize[] = [];
  for (let index = 0; index < count; index++) sizes.push(sizeOfPage(await measurePicture(bytes, index), index));
  return sizes;
}

/** Draws a page of a picture, turned as its EXIF data says. */
export async function drawPicturePage(bytes: Uint8Array, index: number, longestSide?: number) {
  const measured = await measurePicture(bytes, index);
  const { metadata } = measured;
  const size = sizeOfPage(measured, index);
  const [width, height] = longestSide
    ? sizeOfPicture(size.width, size.height, undefined, longestSide)
    : [size.width, size.height];
  const image = openPicture(bytes, index)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize(width, height, { fit: 'fill' });
  const gray = metadata.channels === 1 || metadata.space === 'b-w';
  const { data, info } = await (gray ? image.grayscale() : image.toColourspace('srgb'))
    .png({ compressionLevel: 6 })
    .toBuffer({ resolveWithObject: true })
    .catch(refusePicture);
  return { png: data, width: info.width, height: info.height };
}

/** Words of the first `maxPages` pages of a picture, by OCR. */
export async function readPictures(
  bytes: Uint8Array,
  maxPages: number,
  ocr: OcrRun,
): Promise<{ pages: PageText[]; pageCount: number; missing: string | undefined }> {
  const pageCount = await countPages(bytes);
  checkPageCount(pageCount);
  const pages: PageText[] = [];
  let missing: string | undefined;
  for (let index = 0; index < Math.min(pageCount, maxPages); index++) {
    const measured = await measurePicture(bytes, index);
    const { wide, high, density } = measured;
    const size = sizeOfPage(measured, index);
    const zoom = zoomForOcr(wide, high, density);
    const { data, info } = await openPicture(bytes, index)
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .grayscale()
      .resize(Math.max(1, Math.round(wide * zoom)), Math.max(1, Math.round(high * zoom)), { fit: 'fill' })
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch(refusePicture);
    const scale = { x: size.width / info.width, y: size.height / info.height };
    const read = await readPicture(
      { data: data, width: info.width, height: info.height },
      scale,
      ocr,
      pages.at(-1)?.ocrLanguage,
    );
    missing ??= read.missing;
    pages.push({
      ...size,
      words: read.words,
      source: 'ocr',
      upright: read.upright,
      ...(read.language && { ocrLanguage: read.language }),
      ...(read.problem && { ocrProblem: read.problem }),
    });
  }
  return { pages, pageCount, missing };
}

/** Letters should be as high as at 300 DPI; a picture that does not say its resolution is taken for a page. */
function zoomForOcr(width: number, height: number, density: number | undefined): number {
  const believed = believeDensity(width, height, density);
  const wanted = believed ? 300 / believed : 2480 / Math.min(width, height);
  const limit = Math.sqrt(30_000_000 / (width * height));
  return Math.min(Math.max(wanted, 0.3), believed ? 3 : 2, limit);
}
