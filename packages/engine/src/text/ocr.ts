import { spawn } from 'node:child_process';
import sharp from 'sharp';
import type { OcrOptions } from '../recognition';
import { UnreadableDocument } from '../unreadable-document';
import type { RawWord } from './characters';
import { guessLanguage } from './language';
import { type Gray, measureDirection } from './skew';
import type { Upright } from './upright';

/** What OCR has read on a page, in pixels of the page image, turned as `upright` says. */
export interface OcrPage {
  words: RawWord[];
  /** The language it was read in. */
  language: string | undefined;
  upright: Upright | undefined;
  /** Name of the program that is not installed; then there are no words. */
  missing: string | undefined;
}

/** Options of one document, with the time (as `Date.now()`) until which pages are read. */
export type OcrRun = OcrOptions & { until: number };

/** Languages that are tried when the caller names none. */
export const OCR_LANGUAGES = 'eng deu fra ces slk pol ita spa por nld dan swe nor fin hun ron'.split(' ');

const MISSING = Symbol('program is not installed');

/**
 * Reads a gray picture with the tesseract program, put upright: first in the language of the page before or the first of
 * the list, then, if what it reads turns out to be in another one, in that.
 *
 * @param scale from the picture's pixels to those of the page image
 */
export async function readPicture(
  picture: Gray,
  scale: { x: number; y: number },
  options: OcrRun,
  language?: string,
): Promise<OcrPage> {
  if (Date.now() > options.until) return { words: [], language, upright: undefined, missing: undefined };
  const program = options.tesseract ?? 'tesseract';
  const installed = await listLanguages(program);
  if (installed === MISSING) return { words: [], language: undefined, upright: undefined, missing: program };
  const usable = installed.filter((one) => one !== 'osd');
  const wanted = (options.languages ?? OCR_LANGUAGES).filter((one) => usable.includes(one));
  const first = language && wanted.includes(language) ? language : (wanted[0] ?? usable[0]);
  if (!first)
    return { words: [], language: undefined, upright: undefined, missing: `${program} with the language eng` };
  const read = async (image: Gray, code: string) =>
    parseTsv(await runTesseract(program, toPgm(image), code, layoutOf(image), options.timeoutMs), scale);
  const findTurn = () =>
    installed.includes('osd') ? askTurn(program, picture, options.timeoutMs) : Promise.resolve(undefined);

  const direction = await measureDirection(picture);
  const angleFor = (turn: number) => {
    const skew = turn % 180 === 0 ? direction.skew : direction.sidewaysSkew;
    return turn - (Math.abs(skew) < LEAST_SKEW ? 0 : skew);
  };
  const turn = (direction.sideways ? await findTurn() : undefined) ?? 0;
  let angle = angleFor(turn);
  let image = await turnPicture(picture, angle);
  let words = await read(image, first);
  if (isPoor(words) || isSideways(words)) {
    const other = (await findTurn()) ?? (isSideways(words) ? 90 : turn);
    if (other !== turn) {
      const otherImage = await turnPicture(picture, angleFor(other));
      const otherWords = await read(otherImage, first);
      if (isSideways(words) || quality(otherWords) > quality(words)) {
        [angle, image, words] = [angleFor(other), otherImage, otherWords];
      }
    }
  }
  const guessed = guessLanguage(words.map((word) => word.text))?.code;
  const better = guessed && guessed !== first && wanted.includes(guessed) ? guessed : undefined;
  return {
    words: better ? await read(image, better) : words,
    language: better ?? first,
    upright: angle === 0 ? undefined : { angle, width: image.width * scale.x, height: image.height * scale.y },
    missing: undefined,
  };
}

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

const toPgm = ({ data, width, height }: Gray) => Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);
const layoutOf = ({ width, height }: Gray) => (height > 1.6 * width ? ONE_BLOCK : AUTOMATIC);

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

/** Clockwise turn, in degrees, after which the text reads from left to right; undefined when it cannot be told. */
async function askTurn(program: string, picture: Gray, timeoutMs = 30_000): Promise<number | undefined> {
  try {
    const answer = await run(
      program,
      ['stdin', 'stdout', '-l', 'osd', '--psm', '0', '--dpi', '300'],
      toPgm(picture),
      timeoutMs,
    );
    const [, turn, certainty] = /Rotate: (\d+)[\s\S]*Orientation confidence: ([\d.]+)/.exec(answer) ?? [];
    return Number(certainty) > 1 ? Number(turn) : undefined;
  } catch {
    // It fails on pages with little text; these are read as they are.
    return undefined;
  }
}

const languagesOf = new Map<string, string[]>();

async function listLanguages(program: string): Promise<string[] | typeof MISSING> {
  const known = languagesOf.get(program);
  if (known) return known;
  try {
    const output = await run(program, ['--list-langs'], Buffer.alloc(0), 10_000);
    const languages = output
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    const usable = languages.filter((one) => /^[a-z]{3}(_\w+)?$/.test(one));
    languagesOf.set(program, usable);
    return usable;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return MISSING;
    throw error;
  }
}

async function runTesseract(
  program: string,
  image: Buffer,
  language: string,
  layout: string,
  timeoutMs = 30_000,
): Promise<string> {
  try {
    return await run(
      program,
      ['stdin', 'stdout', '-l', language, '--psm', layout, '--dpi', '300', 'tsv'],
      image,
      timeoutMs,
    );
  } catch (error) {
    throw new UnreadableDocument('corrupt', 'The text of the picture could not be recognised.', { cause: error });
  }
}

/** Page segmentation modes of tesseract: receipts are one block, which it otherwise takes apart. */
const AUTOMATIC = '3';
const ONE_BLOCK = '6';

/** Tesseract's own threads only get into each other's way (10 times slower under load). */
const ENVIRONMENT = { OMP_THREAD_LIMIT: '1' };

function run(program: string, args: string[], input: Buffer, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env: ENVIRONMENT });
    const deadline = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const output: Buffer[] = [];
    let errors = '';
    child.stdout.on('data', (part: Buffer) => output.push(part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      errors = (errors + part).slice(-2000);
    });
    child.on('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    // A program that ends early closes its input; its exit code says the rest.
    child.stdin.on('error', () => {});
    child.on('close', (code, signal) => {
      clearTimeout(deadline);
      if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else reject(new Error(`${program} ended with ${signal ?? code}: ${errors}`));
    });
    child.stdin.end(input);
  });
}

/** Tesseract's table of words: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
export function parseTsv(tsv: string, scale: { x: number; y: number }): RawWord[] {
  const words: RawWord[] = [];
  for (const row of tsv.split('\n').slice(1)) {
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
