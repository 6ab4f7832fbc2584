import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Starts the Chromium that Debian's package installs. Throws, naming the package, where there is none. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}

function findChromium(): string {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium'));
  const found = files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (!found) throw new Error('chromium is not on the PATH. On Debian or Ubuntu: sudo apt-get install chromium');
  return found;
}
