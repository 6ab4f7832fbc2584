import type { annotation, extension } from '@intake/contracts';
import { type Detail, readAnswer } from '../content/answer';
import type { JsonObject } from '../webhook/outcome';
import { documentOf, objectsOf, switchOf, valuesOf } from './answers';

/** What is to become of a file of an upload, after the hooks that were asked so far. */
export interface FileVerdict {
  readonly documentId: number;
  readonly preventImporting: boolean;
  readonly values: Readonly<Record<string, string>>;
  readonly messages: readonly annotation.Message[];
  /** A hook has said so. */
  readonly isDecided: boolean;
}

/** What hooks may write values of. */
const VALUES = ['upload:', 'email:'];

/** The files as they came. */
export function verdictsOf(files: readonly extension.UploadFile[]): FileVerdict[] {
  return files.map(({ documentId, preventImporting, values }) => {
    return { documentId, preventImporting, values, messages: [], isDecided: false };
  });
}

/** Documents that an answer of `upload.created` lists. Throws an Error that says what is wrong with it. */
export function listedDocuments(body: JsonObject): number[] {
  return objectsOf(body, 'files').map((file, i) => documentOf(file, `files[${i}]`));
}

/**
 * The files after one more answer (API: hooks-and-connectors.md section 4.2). Documents that were no files of the upload become some.
 * Throws an Error that says what is wrong with it.
 */
export function applyUploadAnswer(before: readonly FileVerdict[], body: JsonObject, detail: Detail): FileVerdict[] {
  const after = new Map(before.map((file) => [file.documentId, file]));
  for (const [i, file] of objectsOf(body, 'files').entries()) {
    const place = `files[${i}]`;
    const documentId = documentOf(file, place);
    const known = after.get(documentId);
    const { messages } = readAnswer({ messages: file.messages ?? [] }, new Set(), detail);
    after.set(documentId, {
      documentId,
      preventImporting: switchOf(file, 'prevent_importing', place),
      values: { ...known?.values, ...valuesOf(file, place, VALUES) },
      messages: [...(known?.messages ?? []), ...messages],
      isDecided: true,
    });
  }
  return [...after.values()];
}

/**
 * What is imported in the end. A file that the engine cannot read, and about which the hook that should have decided could say nothing, fails
 * for everybody to see.
 *
 * @param failure of the hooks, for people; empty: none failed
 */
export function concludeUpload(verdicts: readonly FileVerdict[], failure: string): extension.UploadFile[] {
  return verdicts.map(({ documentId, preventImporting, values, messages, isDecided }) => {
    const isLost = preventImporting && !isDecided && failure !== '';
    return {
      documentId,
      preventImporting: preventImporting && !isLost,
      values: { ...values },
      messages: [...messages],
      failure: isLost ? `Files of this type are not read, and ${failure}` : '',
    };
  });
}
