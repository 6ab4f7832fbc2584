import { spawn } from 'node:child_process';
import type { OcrOptions } from '../recognition';
import { UnreadableDocument } from '../unreadable-document';
import type { RawWord } from './characters';
import { guessLanguage } from './language';

/** What OCR has read on a page, in pixels of the page image. */
export interface OcrPage {
  words: RawWord[];
  /** The language it was read in. */
  language: string | undefined;
  /** Name of the program that is not installed; then there are no words. */
  missing: string | undefined;
}

/** Options of one document, with the time (as `Date.now()`) until which pages are read. */
export type OcrRun = OcrOptions & { until: number };

/** Languages that are tried when the caller names none. */
export const OCR_LANGUAGES = 'eng deu fra ces slk pol ita spa por nld dan swe nor fin hun ron'.split(' ');

const MISSING = Symbol('program is not installed');

/**
 * Reads a gray picture with the tesseract program: first in the language of the page before or the first of the list,
 * then, if what it reads turns out to be in another one, in that.
 *
 * @param scale from the picture's pixels to those of the page image
 */
export async function readPicture(
  picture: { data: Buffer; width: number; height: number },
  scale: { x: number; y: number },
  options: OcrRun,
  language?: string,
): Promise<OcrPage> {
  if (Date.now() > options.until) return { words: [], language, missing: undefined };
  const program = options.tesseract ?? 'tesseract';
  const installed = await listLanguages(program);
  if (installed === MISSING) return { words: [], language: undefined, missing: program };
  const wanted = (options.languages ?? OCR_LANGUAGES).filter((one) => installed.includes(one));
  const first = language && wanted.includes(language) ? language : (wanted[0] ?? installed[0]);
  if (!first) return { words: [], language: undefined, missing: `${program} with the language eng` };
  const header = Buffer.from(`P5\n${picture.width} ${picture.height}\n255\n`);
  const image = Buffer.concat([header, picture.data]);
  const layout = picture.height > 1.6 * picture.width ? ONE_BLOCK : AUTOMATIC;
  const read = async (code: string) =>
    parseTsv(await runTesseract(program, image, code, layout, options.timeoutMs), scale);
  const words = await read(first);
  const guessed = guessLanguage(words.map((word) => word.text))?.code;
  if (!guessed || guessed === first || !wanted.includes(guessed)) return { words, language: first, missing: undefined };
  return { words: await read(guessed), language: guessed, missing: undefined };
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
    const usable = languages.filter((one) => /^[a-z]{3}(_\w+)?$/.test(one) && one !== 'osd');
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
