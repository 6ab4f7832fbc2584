import { PDFDocument } from 'pdf-lib';
import { UnreadableDocument } from '../unreadable-document';
import { checkPageCount } from './page-count';
import { believeDensity } from './page-size';
import { countPages, measurePicture, openPicture, refusePicture } from './picture';

/** Longest side of a page whose picture does not say how large it is, in points: A4. */
const LONGEST_POINTS = 842;
const POINTS_PER_INCH = 72;
/** A scan of a sheet loses nothing that can be seen. */
const QUALITY = 90;

/**
 * One PDF of several pictures, a page for each (for each page of a TIFF), turned as their EXIF data says. The same pictures
 * give the same bytes.
 *
 * @throws UnreadableDocument that says which picture
 */
export async function joinPictures(pictures: readonly Uint8Array[]): Promise<Buffer> {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  for (const [i, picture] of pictures.entries()) {
    await addPicture(pdf, picture).catch((error) => {
      if (!(error instanceof UnreadableDocument)) throw error;
      throw new UnreadableDocument(error.reason, `Picture ${i + 1}: ${error.message}`, { cause: error });
    });
    checkPageCount(pdf.getPageCount());
  }
  return Buffer.from(await pdf.save());
}

async function addPicture(pdf: PDFDocument, bytes: Uint8Array): Promise<void> {
  const count = await countPages(bytes);
  checkPageCount(count);
  for (let index = 0; index < count; index++) {
    const { wide, high, density } = await measurePicture(bytes, index);
    const { data, info } = await openPicture(bytes, index)
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .resize(wide, high, { fit: 'fill' })
      .toColourspace('srgb')
      .jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' })
      .toBuffer({ resolveWithObject: true })
      .catch(refusePicture);
    const believed = believeDensity(info.width, info.height, density);
    const scale = believed ? POINTS_PER_INCH / believed : LONGEST_POINTS / Math.max(info.width, info.height);
    const [width, height] = [info.width * scale, info.height * scale];
    pdf.addPage([width, height]).drawImage(await pdf.embedJpg(data), { x: 0, y: 0, width, height });
  }
}
