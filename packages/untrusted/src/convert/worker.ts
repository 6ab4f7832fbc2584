import { serveJobs } from '../serve-jobs';
import { convertHeif } from './heif';
import type { ConvertJobs, OfficeAhead } from './jobs';
import { convertOffice, isSheetType } from './office';
import { repairPdf } from './repair';
import { startOffice, type WaitingOffice } from './waiting-office';

let waiting: WaitingOffice | undefined;

serveJobs<ConvertJobs>(
  {
    convertOffice: ({ bytes, mimeType, program }, folder) => {
      // One process does both steps of a sheet.
      if (isSheetType(mimeType)) waiting ??= startOffice(program, folder);
      return convertOffice(bytes, mimeType, folder, program, waiting);
    },
    convertHeif: ({ bytes, program }, folder) => convertHeif(bytes, folder, program),
    repairPdf: ({ bytes, program }, folder) => repairPdf(bytes, folder, program),
  },
  (input, folder) => {
    waiting = startOffice((input as OfficeAhead).program, folder);
  },
);
