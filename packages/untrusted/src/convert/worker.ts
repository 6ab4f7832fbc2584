import { serveJobs } from '../serve-jobs';
import type { ConvertJobs } from './jobs';
import { convertOffice } from './office';
import { repairPdf } from './repair';

serveJobs<ConvertJobs>({
  convertOffice: ({ bytes, mimeType, folder, program }) => convertOffice(bytes, mimeType, folder, program),
  repairPdf: ({ bytes, folder, program }) => repairPdf(bytes, folder, program),
});
