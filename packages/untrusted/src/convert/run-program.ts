import { spawn } from 'node:child_process';

/** How a program ended. */
export interface ProgramEnd {
  /** Null: it was killed. */
  readonly code: number | null;
  /** The last of what it wrote, for the log. */
  readonly output: string;
}

const OUTPUT_TAIL = 4000;

/**
 * Runs a program that reads a hostile file, with next to nothing in its environment.
 *
 * @param home a folder of its own, where it may write
 * @returns null when the program is not installed
 */
export function runProgram(program: string, args: readonly string[], home: string): Promise<ProgramEnd | null> {
  return new Promise((resolve, reject) => {
    const env = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: home,
      TMPDIR: home,
      LANG: 'C.UTF-8',
      SAL_USE_VCLPLUGIN: 'svp',
    };
    const child = spawn(program, [...args], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const note = (part: Buffer) => {
      output = (output + part.toString()).slice(-OUTPUT_TAIL);
    };
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    child.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(null) : reject(error)));
    child.on('close', (code) => resolve({ code, output }));
  });
}
