/** Pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const READABLE = ['image/png', 'image/jpeg', 'image/tiff', 'image/gif', 'image/webp'];
/** As much of a larger image is not looked at: reading it is the matter of the import. */
const MAX_PIXELS = 100_000_000;

/** The size of an image; `broken` when it cannot be decoded; null for what is no such image. */
export async function measureImage(file: string, mimeType: string): Promise<ImageSize | 'broken' | null> {
  if (!READABLE.includes(mimeType)) return null;
  const { default: sharp } = await import('sharp');
  try {
    const image = sharp(file, { failOn: 'error', limitInputPixels: false, sequentialRead: true });
    const { width, height } = await image.metadata();
    if (!width || !height) return 'broken';
    if (width * height <= MAX_PIXELS) await image.resize(8, 8, { fit: 'fill' }).raw().toBuffer();
    return { width, height };
  } catch {
    return 'broken';
  }
}
