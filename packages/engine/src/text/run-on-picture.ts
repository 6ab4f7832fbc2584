import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Gray } from './skew';

/** Threads of a program's own only get into each other's way. */
const ENVIRONMENT = { OMP_THREAD_LIMIT: '1' };

/**
 * Runs a program with a picture (TIFF) as its input, and answers what it prints. The input is a file that is read
 * at once: one without a name, of which nothing is left behind when a process is killed.
 */
export async function runOnPicture(program: string, picture: Gray, args: string[], timeoutMs: number): Promise<string> {
  const name = path.join(tmpdir(), `intake-ocr-${randomUUID()}`);
  const file = await open(name, 'wx+', 0o600);
  try {
    await rm(name);
    await file.writev([tiffHead(picture), picture.data], 0);
    return await run(program, args, file.fd, timeoutMs);
  } finally {
    await file.close();
  }
}

/** What stands in front of the pixels in a TIFF without compression: where its fields are, their number, and each of them. */
function tiffHead({ data, width, height }: Gray): Buffer {
  const SHORT = 3;
  const LONG = 4;
  const fieldsAt = 8;
  const size = (count: number) => fieldsAt + 2 + 12 * count + 4;
  const fields = [
    { tag: 256, type: LONG, value: width },
    { tag: 257, type: LONG, value: height },
    { tag: 258, type: SHORT, value: 8 }, // bits of a pixel
    { tag: 259, type: SHORT, value: 1 }, // no compression
    { tag: 262, type: SHORT, value: 1 }, // 0 is black
    { tag: 273, type: LONG, value: size(8) }, // where the pixels begin
    { tag: 278, type: LONG, value: height }, // rows that stand together
    { tag: 279, type: LONG, value: data.length },
  ];
  const head = Buffer.alloc(size(fields.length));
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(fieldsAt, 4);
  head.writeUInt16LE(fields.length, fieldsAt);
  fields.forEach(({ tag, type, value }, index) => {
    const at = fieldsAt + 2 + 12 * index;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(value, at + 8);
  });
  return head;
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
