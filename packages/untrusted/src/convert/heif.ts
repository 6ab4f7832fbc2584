import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConversionError } from './conversion-error';
import { runProgram } from './run-program';

/** Containers of libheif: what phones photograph in. */
const TYPES = ['image/heic', 'image/heif', 'image/avif'];
/** Of JPEG; what compression makes of small print at less can be seen. */
const QUALITY = '95';

/** Whether pictures of a type are read through the JPEGs that libheif makes of them. */
export function isHeifType(mimeType: string): boolean {
  return TYPES.includes(mimeType);
}

/**
 * Turns a HEIF file into JPEGs with libheif, upright, one for each picture in it.
 *
 * @param folder empty, and removed by the caller afterwards
 * @param program `heif-convert`, by name or path
 * @throws ConversionError
 */
export async function convertHeif(bytes: Uint8Array, folder: string, program: string): Promise<Buffer[]> {
  const source = path.join(folder, 'photo.heic');
  await writeFile(source, bytes);
  const end = await runProgram(program, ['-q', QUALITY, source, path.join(folder, 'page.jpg')], folder);
  if (!end) {
    throw new ConversionError(
      'needs_program',
      `The program that reads HEIC and AVIF pictures is not installed: ${program}. Install it and import the document again.`,
    );
  }
  // page.jpg, or page-1.jpg, page-2.jpg, ...
  const numbers = (await readdir(folder)).flatMap((name) => /^page(?:-(\d+))?\.jpg$/.exec(name)?.[1] ?? []);
  const names =
    numbers.length > 0
      ? numbers
          .map(Number)
          .sort((a, b) => a - b)
          .map((number) => `page-${number}.jpg`)
      : ['page.jpg'];
  const pictures = await Promise.all(names.map((name) => readFile(path.join(folder, name)).catch(() => null)));
  const made = pictures.filter((picture) => picture !== null);
  if (end.code !== 0 || made.length < names.length)
    throw new ConversionError('corrupt', 'The picture is damaged and cannot be read.', { cause: end.output });
  return made;
}
