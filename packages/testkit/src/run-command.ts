import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from './api';
import { ROOT } from './root';

/** Runs the `intake` command against a system. Answers what it prints; throws an Error with what it says when it fails. */
export async function runCommand({ env }: { readonly env: Record<string, string> }, ...args: string[]): Promise<Json> {
  const command = [join(ROOT, 'packages/cli/dist/index.js'), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout);
}
