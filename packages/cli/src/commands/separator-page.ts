import { writeFile } from 'node:fs/promises';
import { UsageError } from '../arguments';
import type { Command } from '../command';
import { CommandError } from '../errors';

/** Longest text that a queue can know a separator page by. */
const MAX_TEXT = 100;

/** Makes a separator page to print. */
export const separatorPage: Command = {
  name: 'separator-page',
  about: 'write a separator page, to be printed and put between documents before they are scanned together',
  options: { file: 'PDF file to write' },
  optional: { text: "what its QR code says, where the queue's settings name one of their own" },
  async run({ file = '', text }) {
    if (text !== undefined && (text.trim() === '' || text.length > MAX_TEXT))
      throw new UsageError(`--text has 1 to ${MAX_TEXT} characters.`);
    // Loaded when it is needed: the other commands do without the engine.
    const { buildSeparatorPage } = await import('@intake/engine');
    await writeFile(file, await buildSeparatorPage(text?.trim())).catch((error: Error) => {
      throw new CommandError(`The file cannot be written (${error.message}).`);
    });
    return { file };
  },
};
