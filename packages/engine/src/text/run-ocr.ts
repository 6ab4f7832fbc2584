import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Gray } from './skew';

/** Tesseract's own threads only get into each other's way (10 times slower under load). */
const ENVIRONMENT = { OMP_THREAD_LIMIT: '1' };

/**
 * Runs a program with a picture (PGM) as its input, and answers what it prints. The input is a file, because Tesseract takes a
 * fifth of its time to read a whole picture byte by byte: one without a name, of which nothing is left behind when a process is killed.
 */
export async function runOnPicture(program: string, picture: Gray, args: string[], timeoutMs: number): Promise<string> {
  const name = path.join(tmpdir(), `intake-ocr-${randomUUID()}`);
  const file = await open(name, 'wx+', 0o600);
  try {
    await rm(name);
    const head = Buffer.from(`P5\n${picture.width} ${picture.height}\n255\n`);
    await file.writev([head, picture.data], 0);
    return await run(program, args, file.fd, timeoutMs);
  } finally {
    await file.close();
  }
}

/** Runs a program and answers what it prints; `input` is the descriptor of a file. */
export function run(program: string, args: string[], input: number | 'ignore', timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: [input, 'pipe', 'pipe'], env: ENVIRONMENT });
    const deadline = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const output: Buffer[] = [];
    let errors = '';
    child.stdout!.on('data', (part: Buffer) => output.push(part));
    child.stderr!.setEncoding('utf8').on('data', (part: string) => {
      errors = (errors + part).slice(-2000);
    });
    child.on('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(deadline);
      if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else reject(new Error(`${program} ended with ${signal ?? code}: ${errors}`));
    });
  });
}
