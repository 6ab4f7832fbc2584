import path from 'node:path';
import type { Authentication } from '../email/email';
import type { SenderCheck } from './check-sender';
import type { FileLook, ParsedMessage } from './parse-message';

/** The jobs of the worker that reads messages: name -> input and output, for `ChildPool`. */
export interface ParseJobs {
  parseMessage: { input: { rawPath: string; folder: string }; output: ParsedMessage };
  lookAtFile: { input: { path: string; mimeType: string }; output: FileLook };
  checkSender: { input: SenderCheck; output: Omit<Authentication, 'encrypted'> };
}

/** Path of the built worker script; the service must have been built. */
export const parseWorker = path.join(__dirname, '..', '..', 'dist', 'mail', 'parse-worker.js');
