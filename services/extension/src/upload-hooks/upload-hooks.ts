import type { extension } from '@intake/contracts';

/**
 * What the `upload.created` hooks of a queue make of the files of an upload (API: hooks-and-connectors.md section 4.2). No
 * hook is called yet: the files come back as they are, also `prevent_importing` of types that the engine cannot read.
 */
export function callUploadHooks(files: readonly extension.UploadFile[]): extension.UploadFile[] {
  return [...files];
}
