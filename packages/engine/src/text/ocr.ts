import sharp from 'sharp';
import type { OcrOptions } from '../recognition';
import { UnreadableDocument } from '../unreadable-document';
import type { RawWord } from './characters';
import { evenPaper } from './even-paper';
import { smoothGrain } from './grain';
import { guessLanguage } from './language';
import { partWords, readWithPpocr } from './ppocr';
import { eraseRules } from './rules';
import { type Gray, measureDirection } from './skew';
import { findDensestStrip } from './strip';
import { LAYOUTS, type Layout, openTesseract, TESSERACT_LIBRARY, type Tesseract } from './tesseract';
import { findCrowded, findUnread, placeOnPage } from './unread';
import type { Upright } from './upright';

/** What OCR has read on a page, in pixels of the page image, turned as `upright` says. */
export interface OcrPage {
  words: RawWord[];
  /** The language it was read in. */
  language: string | undefined;
  upright: Upright | undefined;
  /** Name of the program that is not installed; then there are no words. */
  missing: string | undefined;
  /** Why PP-OCR failed on the page; undefined when it did not, or was not asked. */
  problem?: string | undefined;
}

/** Options of one document, with the time (as `Date.now()`) until which pages are read. */
export type OcrRun = OcrOptions & { until: number };

/** Languages that are tried when the caller names none. */
export const OCR_LANGUAGES = 'eng deu fra ces slk pol ita spa por nld dan swe nor fin hun ron'.split(' ');

/** Longest time for one page. */
const TIMEOUT_MS = 30_000;

/**
 * Reads a gray picture with Tesseract, put upright, in the language of the page before, or of a strip of it.
 * If what it reads turns out to be in another one, the page is read once more in that. What it reads badly is read by PP-OCR,
 * where that is installed.
 *
 * @param scale from the picture's pixels to those of the page image
 */
export async function readPicture(
  drawn: Gray,
  scale: { x: number; y: number },
  options: OcrRun,
  language?: string,
): Promise<OcrPage> {
  if (Date.now() > options.until) return { words: [], language, upright: undefined, missing: undefined };
  const library = options.tesseract ?? TESSERACT_LIBRARY;
  const tesseract = openTesseract(library);
  if (!tesseract) return { words: [], language: undefined, upright: undefined, missing: `Tesseract (${library})` };
  const usable = tesseract.languages.filter((one) => one !== 'osd');
  const wanted = (options.languages ?? OCR_LANGUAGES).filter((one) => usable.includes(one));
  const before = language && wanted.includes(language) ? language : undefined;
  const usual = wanted[0] ?? usable[0];
  if (!usual) return { words: [], language: undefined, upright: undefined, missing: 'Tesseract with the language eng' };
  const read = async (image: Gray, code: string, layout: Layout = layoutOf(image), timeoutMs = options.timeoutMs) =>
    parseTsv(await readTable(tesseract, image, code, layout, timeoutMs), scale);
  const even = evenPaper(drawn);
  const picture = await smoothGrain(even);
  const findTurn = async () => (tesseract.languages.includes('osd') ? tesseract.findTurn(picture) : undefined);

  const direction = await measureDirection(picture);
  const angleFor = (turn: number) => {
    const skew = turn % 180 === 0 ? direction.skew : direction.sidewaysSkew;
    return turn - (Math.abs(skew) < LEAST_SKEW ? 0 : skew);
  };
  // The narrow columns of a receipt look like lines that run down; if they are, it is seen when they are read.
  const turn = (direction.sideways && layoutOf(picture) !== LAYOUTS.oneBlock ? await findTurn() : undefined) ?? 0;
  let angle = angleFor(turn);
  let image = eraseRules(await turnPicture(picture, angle));
  // A receipt has too few words on a strip, and is soon read twice.
  const isOpen = !before && wanted.length > 1 && layoutOf(image) !== LAYOUTS.oneBlock;
  const ofStrip = isOpen ? await guessByStrip(image, (strip) => read(strip, usual, LAYOUTS.oneBlock)) : undefined;
  const first = before ?? wanted.find((one) => one === ofStrip) ?? usual;
  let words = await read(image, first);
  if (isPoor(words) || isSideways(words)) {
    const other = (await findTurn()) ?? (isSideways(words) ? 90 : turn);
    if (other !== turn) {
      const otherImage = eraseRules(await turnPicture(picture, angleFor(other)));
      const otherWords = await read(otherImage, first);
      if (isSideways(words) || quality(otherWords) > quality(words)) {
        [angle, image, words] = [angleFor(other), otherImage, otherWords];
      }
    }
  }
  const guessed = guessLanguage(words.map((word) => word.text))?.code;
  const better = guessed && guessed !== first && wanted.includes(guessed) ? guessed : undefined;
  if (better) words = await read(image, better);
  const timeLeft = () => Math.min(options.until - Date.now(), options.timeoutMs ?? TIMEOUT_MS);
  const opinion =
    options.ppocr && timeLeft() > LEAST_FOR_OPINION_MS && isDoubtful(words, image)
      ? await readWithPpocr(options.ppocr, await turnPicture(even, angle), scale, timeLeft())
      : undefined;
  const inTime = timeLeft();
  if (opinion && quality(opinion.words) > quality(words)) words = partWords(opinion.words, words);
  else if (inTime > 0) {
    const language = better ?? first;
    words = await readRest(image, words, scale, (rest) => read(rest, language, LAYOUTS.sparse, inTime));
  }
  return {
    words,
    language: better ?? first,
    upright: angle === 0 ? undefined : { angle, width: image.width * scale.x, height: image.height * scale.y },
    missing: undefined,
    problem: opinion?.problem,
  };
}

/** The language of the page as a strip of it tells; undefined when it leaves it open. */
async function guessByStrip(image: Gray, read: (strip: Gray) => Promise<RawWord[]>): Promise<string | undefined> {
  const strip = findDensestStrip(image);
  if (!strip) return undefined;
  // The whole page is read in any case, and says what is wrong with it.
  const words = await read(strip).catch((): RawWord[] => []);
  const guessed = guessLanguage(words.map((word) => word.text));
  return guessed && guessed.confidence > LEAST_OF_STRIP ? guessed.code : undefined;
}

/** Two languages with as many words are not told apart; a language that leads is likelier than the usual one, in which they were read. */
const LEAST_OF_STRIP = 0.5;

/** Reads once more what looks like words and was left out or run together; only what is then read with some certainty counts. */
async function readRest(
  image: Gray,
  words: RawWord[],
  { x, y }: { x: number; y: number },
  read: (rest: Gray) => Promise<RawWord[]>,
): Promise<RawWord[]> {
  const crowded = findCrowded(words);
  const certain = words.filter((word) => !crowded.includes(word));
  const boxes = certain.map(({ position: [l, t, r, b] }) => [l / x, t / y, r / x, b / y] as const);
  const rest = findUnread(image, boxes);
  if (!rest) return words;
  // What was read before counts, whatever becomes of the rest.
  const found = await read(rest.picture).catch((): RawWord[] => []);
  const more = found
    .filter(
      ({ text, confidence }) => /[\p{L}\p{N}]/u.test(text) && confidence > (text.length < 3 ? 0.7 : LEAST_OF_REST),
    )
    .map((word) => {
      const [l, t, r, b] = word.position;
      const [left, top, right, bottom] = placeOnPage(rest, [l / x, t / y, r / x, b / y]);
      return { ...word, position: [left * x, top * y, right * x, bottom * y] satisfies RawWord['position'] };
    });
  const isReadAnew = ({ position: [l, t, r, b] }: RawWord) =>
    more.some(({ position: [left, top, right, bottom] }) => left < r && right > l && top < b && bottom > t);
  return [...words.filter((word) => !crowded.includes(word) || !isReadAnew(word)), ...more];
}

const LEAST_OF_REST = 0.5;

/** Tesseract itself copes with less, and turning blurs the letters. */
const LEAST_SKEW = 0.5;

async function turnPicture({ data, width, height }: Gray, degrees: number): Promise<Gray> {
  if (degrees % 360 === 0) return { data, width, height };
  const turned = await sharp(data, { raw: { width, height, channels: 1 } })
    .rotate(degrees, { background: '#ffffff' })
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: turned.data, width: turned.info.width, height: turned.info.height };
}

/** Receipts are one block, which is otherwise taken apart. */
const layoutOf = ({ width, height }: Gray) => (height > 1.6 * width ? LAYOUTS.oneBlock : LAYOUTS.automatic);

/** PP-OCR takes some seconds for a page; what has been read counts more than a better reading that comes too late. */
const LEAST_FOR_OPINION_MS = 12_000;

/** Letters of a clean scan are read with more certainty. */
const DOUBTFUL = 0.88;

/** Whether a page holds something that Tesseract reads badly. A white page does not. */
export function isDoubtful(words: readonly RawWord[], image: Gray): boolean {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  if (letters === 0) return hasInk(image);
  return words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) < DOUBTFUL * letters;
}

/** Ink is darker than the paper by so many steps of gray, and a word has more of it than this share of a page. */
const INK_STEPS = 50;
const LEAST_INK = 1e-4;

function hasInk({ data }: Gray): boolean {
  const counts = new Uint32Array(256);
  for (const gray of data) counts[gray]! += 1;
  let paper = 0;
  for (let below = 0; below < data.length / 2; paper += 1) below += counts[paper]!;
  const ink = counts.subarray(0, Math.max(0, paper - INK_STEPS)).reduce((sum, count) => sum + count, 0);
  return ink > LEAST_INK * data.length;
}

/** Letters read with how much certainty; what is read upside down is short and doubtful. */
const quality = (words: RawWord[]) =>
  words
    .filter(({ text }) => /[\p{L}\p{N}]{3}/u.test(text))
    .reduce((sum, { text, confidence }) => sum + text.length * (confidence - 0.4), 0);

function isPoor(words: RawWord[]): boolean {
  const readable = words.filter(({ text }) => /[\p{L}\p{N}]{3}/u.test(text));
  const certain = readable.reduce((sum, { confidence }) => sum + confidence, 0) / readable.length;
  return readable.length < 8 || certain < 0.65;
}

/** Tesseract also reads text that runs up or down; its words are then higher than wide. */
function isSideways(words: RawWord[]): boolean {
  const long = words.filter(({ text }) => text.length >= 4);
  const high = long.filter(({ position: [left, top, right, bottom] }) => bottom - top > 1.3 * (right - left));
  return high.length > 0.6 * long.length;
}

/** Those of some languages that Tesseract does not have; none where it is not installed. */
export function findUnknownLanguages(library: string, languages: readonly string[]): string[] {
  const installed = openTesseract(library)?.languages;
  return installed ? languages.filter((one) => one === 'osd' || !installed.includes(one)) : [];
}

async function readTable(
  tesseract: Tesseract,
  image: Gray,
  language: string,
  layout: Layout,
  timeoutMs = TIMEOUT_MS,
): Promise<string> {
  try {
    return await tesseract.readTable(image, language, layout, timeoutMs);
  } catch (error) {
    throw new UnreadableDocument('corrupt', 'The text of the picture could not be recognised.', { cause: error });
  }
}

/** Tesseract's table of words: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
export function parseTsv(tsv: string, scale: { x: number; y: number }): RawWord[] {
  const words: RawWord[] = [];
  for (const row of tsv.split('\n')) {
    const cells = row.split('\t');
    const text = cells[11]?.trim() ?? '';
    const [left, top, width, height, confidence] = cells.slice(6, 11).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    if (cells[0] !== '5' || text === '' || confidence < 0) continue;
    // Rules and specks come out as single strokes.
    if (/^[|_~\-—–=.,'`´:;\\[\]{}]$/.test(text) && confidence < 70) continue;
    words.push({
      text,
      position: [left * scale.x, top * scale.y, (left + width) * scale.x, (top + height) * scale.y],
      confidence: confidence / 100,
      turn: 0,
    });
  }
  return words;
}
