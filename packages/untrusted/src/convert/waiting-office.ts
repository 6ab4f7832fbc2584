import { createHash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createProfile } from './office-profile';
import { runProgram } from './run-program';

/** A process of LibreOffice that has been started and waits for one document. */
export interface WaitingOffice {
  /**
   * Has it do what a command line says, such as `--convert-to pdf file`. More than once for one document: a sheet is converted in
   * two steps.
   *
   * @returns false when it was not ready 20 seconds after its start, or ended before it was done
   */
  handOver(args: readonly string[]): Promise<boolean>;
}

/** What the process says to who connects, when it is ready and when it has done what it was told. */
const READY = 'InternalIPC::SendArguments';
const DONE = 'InternalIPC::ProcessingDone';

const RETRY_MS = 50;
const PATIENCE_MS = 20_000;

/** An empty text that stays open: without one, the process would end after the first conversion. */
const KEPT_OPEN = 'private:factory/swriter';

/**
 * Starts LibreOffice ahead of its document, with a profile of its own. It ends with the process group of its caller.
 *
 * Documents are handed over as a second `soffice` does: through the socket by which the processes of one profile find each other
 * (`desktop/source/app/officeipcthread.cxx` of LibreOffice).
 *
 * @param program `soffice`, by name or path
 * @param folder where its profile is made
 */
export function startOffice(program: string, folder: string): WaitingOffice {
  const starting = startListening(program, path.join(folder, 'waiting')).catch(() => undefined);
  const listening = Promise.race([starting, delay(PATIENCE_MS, undefined, { ref: false })]);
  return {
    handOver: async (args) => {
      const address = await listening;
      return address !== undefined && request(address, args);
    },
  };
}

/** Starts the process; answers with the address of its socket when it is ready, with undefined when it has ended. */
async function startListening(program: string, folder: string): Promise<string | undefined> {
  const { options, url } = await createProfile(folder);
  const address = findSocket(url);
  let running = true;
  const end = () => {
    running = false;
  };
  runProgram(program, [...options, KEPT_OPEN], folder).then(end, end);
  while (running) {
    if (await isReady(address)) {
      // Nobody else finds it there, and it is removed with the folder when the process is killed.
      const own = path.join(folder, 'socket');
      return rename(address, own).then(
        () => own,
        () => address,
      );
    }
    await delay(RETRY_MS);
  }
  return undefined;
}

/** Where LibreOffice listens for a profile: its URL is hashed as UTF-16, and the bytes are written without leading zeros. */
function findSocket(profileUrl: string): string {
  const hash = createHash('md5').update(Buffer.from(profileUrl, 'utf16le')).digest();
  const name = [...hash].map((byte) => byte.toString(16)).join('');
  return `/tmp/OSL_PIPE_${process.getuid?.() ?? 0}_SingleOfficeIPC_${name}`;
}

async function isReady(address: string): Promise<boolean> {
  const socket = open(address);
  const greeting = await readString(socket);
  socket.destroy();
  return greeting === READY;
}

async function request(address: string, args: readonly string[]): Promise<boolean> {
  const socket = open(address);
  if ((await readString(socket)) !== READY) return false;
  const answer = readString(socket);
  socket.write(describeRequest(args));
  return (await answer) === DONE;
}

function open(address: string): Socket {
  // Whatever goes wrong, the socket is closed afterwards.
  return connect(address).on('error', () => {});
}

/** A command line: the folder that it would be given in, without which nothing is done, and its arguments. */
function describeRequest(args: readonly string[]): string {
  const escaped = ['file:///', ...args].map((arg) => arg.replace(/[\\,]/g, '\\$&'));
  return `InternalIPC::Arguments1${escaped.join(',')}\0`;
}

/** The next string that ends with NUL; empty when the socket is closed before. */
function readString(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const settle = (result: string) => {
      socket.off('data', read).off('close', giveUp);
      resolve(result);
    };
    const read = (part: Buffer) => {
      text += part.toString('latin1');
      if (text.endsWith('\0')) settle(text.slice(0, -1));
    };
    const giveUp = () => settle('');
    socket.on('data', read).on('close', giveUp);
  });
}
