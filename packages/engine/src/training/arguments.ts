import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** Options of the two commands. */
export interface Arguments {
  /** Folder with `files/` and `truth/`. */
  corpus: string;
  /** Folder for the words of the pages, and for the report. */
  cache: string;
  out: string;
}

/** Reads the options of a command; ends the process with its usage when they are wrong. */
export function readArguments(command: string): Arguments {
  const usage = `Usage: npm run ${command} -- --corpus DIR [--out DIR] [--cache DIR]`;
  try {
    const { values } = parseArgs({
      options: { corpus: { type: 'string' }, out: { type: 'string' }, cache: { type: 'string' } },
    });
    if (!values.corpus) throw new Error('--corpus is missing');
    const place = path.join(tmpdir(), 'intake-eval');
    return {
      corpus: path.resolve(values.corpus),
      out: path.resolve(values.out ?? path.join(place, 'report')),
      cache: path.resolve(values.cache ?? path.join(place, 'cache')),
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}
