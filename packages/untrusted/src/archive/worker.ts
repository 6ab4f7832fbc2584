import { serveJobs } from '../serve-jobs';
import type { ArchiveJobs } from './jobs';
import { unpackArchive } from './unpack';

serveJobs<ArchiveJobs>({ unpack: ({ bytes }) => unpackArchive(bytes) });
