import { serveJobs } from '@intake/untrusted';
import type { ParseJobs } from './parse-jobs';
import { parseMessage } from './parse-message';

serveJobs<ParseJobs>({ parseMessage: ({ rawPath, folder }) => parseMessage(rawPath, folder) });
