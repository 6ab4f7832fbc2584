import type { Pdfium } from './pdfium';

const TEXT = 1;
const PATH = 2;
const IMAGE = 3;
const FORM = 5;
/** A page of so many objects is looked at in part. */
const MAX_OBJECTS = 5000;
/** Text that stands alone is a line or two. */
const MAX_LINES = 50;
/** A letter drawn as a path has curves; a rule or the frame of a cell has at most five pieces. */
const LEAST_SEGMENTS = 7;
/** Height of a letter or of a line of letters, in points. */
const LETTER_HEIGHT = [3, 40] as const;
/** So many pieces are a text, and no sign or symbol. */
const DRAWN_SEGMENTS = 600;
/** A letterhead may be drawn; a text goes on further down the page. */
const DRAWN_SHARE = 0.3;

/** Whether there is nothing on the page but text: what the layer says is all there is to read. */
export function isTextAlone(pdfium: Pdfium, page: number): boolean {
  const count = pdfium._FPDFPage_CountObjects(page);
  if (count > MAX_LINES) return false;
  for (let index = 0; index < count; index++)
    if (pdfium._FPDFPageObj_GetType(pdfium._FPDFPage_GetObject(page, index)) !== TEXT) return false;
  return true;
}

/**
 * Whether the page shows a text that its layer does not have: images that cover most of it (a scan, perhaps in strips,
 * whatever text was written over it), or letters that are drawn as lines.
 */
export function showsOtherText(pdfium: Pdfium, page: number): boolean {
  const memory = pdfium.wasmExports.malloc(16);
  try {
    const [width, height] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)];
    let covered = 0;
    let segments = 0;
    let [lowest, highest] = [height, 0];
    for (const object of objectsOf(pdfium, page)) {
      const type = pdfium._FPDFPageObj_GetType(object);
      const pieces = type === PATH ? pdfium._FPDFPath_CountSegments(object) : 0;
      const isPicture = type === IMAGE || (type === FORM && holdsImage(pdfium, object));
      if (!isPicture && pieces < LEAST_SEGMENTS) continue;
      if (!pdfium._FPDFPageObj_GetBounds(object, memory, memory + 4, memory + 8, memory + 12)) continue;
      const view = new DataView(pdfium.HEAPU8.buffer, memory, 16);
      const [left, bottom, right, top] = [0, 4, 8, 12].map((at) => view.getFloat32(at, true)) as [
        number,
        number,
        number,
        number,
      ];
      if (isPicture) covered += Math.min(right - left, width) * Math.min(top - bottom, height);
      else if (top - bottom > LETTER_HEIGHT[0] && top - bottom < LETTER_HEIGHT[1]) {
        segments += pieces;
        lowest = Math.min(lowest, bottom);
        highest = Math.max(highest, top);
      }
    }
    return covered > 0.6 * width * height || (segments >= DRAWN_SEGMENTS && highest - lowest > DRAWN_SHARE * height);
  } finally {
    pdfium.wasmExports.free(memory);
  }
}

function* objectsOf(pdfium: Pdfium, page: number): Generator<number> {
  const count = Math.min(pdfium._FPDFPage_CountObjects(page), MAX_OBJECTS);
  for (let index = 0; index < count; index++) yield pdfium._FPDFPage_GetObject(page, index);
}

/** Some programs put a scan into a form of its own. */
function holdsImage(pdfium: Pdfium, form: number): boolean {
  const count = Math.min(pdfium._FPDFFormObj_CountObjects(form), MAX_LINES);
  for (let index = 0; index < count; index++)
    if (pdfium._FPDFPageObj_GetType(pdfium._FPDFFormObj_GetObject(form, index)) === IMAGE) return true;
  return false;
}
