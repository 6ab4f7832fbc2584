import { readBarcodes } from 'zxing-wasm/reader';
import { prepareReader } from './qr-codes';

/** A barcode in the image of a page. */
export interface Barcode {
  /** Its symbology in capitals, `QRCODE`, `CODE128`, `EAN13` for instance. */
  readonly type: string;
  readonly text: string;
  /** `[left, top, right, bottom]` in pixels of the image. */
  readonly position: readonly [number, number, number, number];
}

const MOST_BARCODES = 50;

/** Barcodes of any kind in an encoded image (PNG), from top to bottom. */
export async function findBarcodes(image: Uint8Array): Promise<Barcode[]> {
  prepareReader();
  const found = await readBarcodes(image, { tryHarder: true, tryRotate: true, maxNumberOfSymbols: MOST_BARCODES });
  return found
    .filter(({ isValid }) => isValid)
    .map(({ format, text, position }) => {
      const corners = [position.topLeft, position.topRight, position.bottomRight, position.bottomLeft];
      const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
      return {
        type: format.replace(/[^A-Za-z0-9]/g, '').toUpperCase(),
        text,
        position: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const,
      };
    })
    .sort((one, other) => one.position[1] - other.position[1] || one.position[0] - other.position[0]);
}
