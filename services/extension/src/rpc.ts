import type { extension } from '@intake/contracts';
import { type Handlers, requireSystem } from '@intake/rpc';
import { callUploadHooks } from './upload-hooks/upload-hooks';

/** The rpcs of the extension service. */
export function createRpc(): Handlers<typeof extension.ExtensionServiceService> {
  return {
    async callUploadHooks({ files }, caller) {
      requireSystem(caller);
      return { files: callUploadHooks(files) };
    },
  };
}
