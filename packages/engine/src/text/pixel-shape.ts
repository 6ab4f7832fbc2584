/** Tags of a TIFF (TIFF 6.0, section 8). */
const X_RESOLUTION = 282;
const Y_RESOLUTION = 283;
const RATIONAL = 5;
const ENTRY_BYTES = 12;
/** What is further from a square is taken for a mistake. */
const MOST = 4;

/**
 * How much higher than wide the pixels of a page of a TIFF are: those of a fax of the standard resolution (204 x 98 DPI) more than twice.
 * 1 for every other picture, and where the file does not say it.
 */
export function pixelShape(bytes: Uint8Array, page: number): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const across = resolutionOf(file, page, X_RESOLUTION);
    const down = resolutionOf(file, page, Y_RESOLUTION);
    const shape = across / down;
    return shape >= 1 / MOST && shape <= MOST ? shape : 1;
  } catch (error) {
    // It points beyond its end: whoever decodes it says so.
    if (error instanceof RangeError) return 1;
    throw error;
  }
}

/** NaN when the page has none. Throws RangeError. */
function resolutionOf(file: Buffer, page: number, wanted: number): number {
  const start = file.toString('latin1', 0, 4);
  if (start !== 'II*\0' && start !== 'MM\0*') return Number.NaN;
  const isLittle = start === 'II*\0';
  const short = (at: number) => (isLittle ? file.readUInt16LE(at) : file.readUInt16BE(at));
  const long = (at: number) => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at));
  let directory = long(4);
  for (let i = 0; i < page; i++) directory = long(directory + 2 + short(directory) * ENTRY_BYTES);
  for (let i = 0; i < short(directory); i++) {
    const entry = directory + 2 + i * ENTRY_BYTES;
    if (short(entry) !== wanted || short(entry + 2) !== RATIONAL) continue;
    const value = long(entry + 8);
    return long(value) / long(value + 4);
  }
  return Number.NaN;
}
