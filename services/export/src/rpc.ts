import type { exporting } from '@intake/contracts';
import type { Handlers } from '@intake/rpc';
import { openExport } from './export/export';
import type { Neighbours } from './export/sources';

/** The rpcs of the export service. */
export function createRpc(neighbours: Neighbours): Handlers<typeof exporting.ExportServiceService> {
  return {
    async *export(request, caller) {
      const file = await openExport(neighbours, request, caller);
      try {
        const { contentType, fileName, pagination } = file;
        yield { header: { contentType, fileName, total: pagination.total, totalPages: pagination.total_pages } };
        for await (const chunk of file.chunks) yield { chunk };
      } finally {
        await file.close();
      }
    },
  };
}
