import { serveJobs } from '@intake/untrusted';
import { checkSender } from './check-sender';
import type { ParseJobs } from './parse-jobs';
import { lookAtFile, parseMessage } from './parse-message';

serveJobs<ParseJobs>({
  parseMessage: ({ rawPath, folder }) => parseMessage(rawPath, folder),
  lookAtFile: ({ path, mimeType }) => lookAtFile(path, mimeType),
  checkSender,
});
