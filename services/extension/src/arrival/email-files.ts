import type { JsonObject } from '../webhook/outcome';
import { documentOf, objectsOf, switchOf, valuesOf } from './answers';

type Values = Readonly<Record<string, string>>;

/** What is to become of the attachments of an e-mail, after the hooks that were asked so far. */
export interface EmailVerdicts {
  /** Those that are imported. */
  readonly files: ReadonlyMap<number, Values>;
  /** Documents that hooks added. */
  readonly additional: ReadonlyMap<number, { readonly values: Values; readonly importDocument: boolean }>;
  readonly sender: { readonly email: string; readonly name: string } | null;
}

const VALUES = ['email:'];

/** All are imported. */
export function allOf(documentIds: readonly number[]): EmailVerdicts {
  return { files: new Map(documentIds.map((id) => [id, {}])), additional: new Map(), sender: null };
}

/** Documents that an answer of `email.received` adds. Throws an Error that says what is wrong with it. */
export function addedDocuments(body: JsonObject): number[] {
  return objectsOf(body, 'additional_files').map((file, i) => documentOf(file, `additional_files[${i}]`));
}

/**
 * The attachments after one more answer (API: hooks-and-connectors.md section 4.3): only files that it lists are imported, all when it has no
 * such list. Throws an Error that says what is wrong with it.
 */
export function applyEmailAnswer(before: EmailVerdicts, body: JsonObject): EmailVerdicts {
  const listed = objectsOf(body, 'files').map((file, i) => {
    const { id } = file;
    const documentId = typeof id === 'number' || typeof id === 'string' ? Number(id) : Number.NaN;
    if (!Number.isSafeInteger(documentId)) throw new Error(`files[${i}].id must be the id of a file`);
    return [documentId, valuesOf(file, `files[${i}]`, VALUES)] as const;
  });
  const kept = listed.filter(([id]) => before.files.has(id));
  const files = new Map(kept.map(([id, values]) => [id, { ...before.files.get(id), ...values }]));
  const added = objectsOf(body, 'additional_files').map((file, i) => {
    const place = `additional_files[${i}]`;
    const verdict = {
      values: valuesOf(file, place, VALUES),
      importDocument: switchOf(file, 'import_document', place),
    };
    return [documentOf(file, place), verdict] as const;
  });
  return {
    files: Array.isArray(body.files) ? files : before.files,
    additional: new Map([...before.additional, ...added]),
    sender: senderOf(body) ?? before.sender,
  };
}

function senderOf({ extracted_original_sender: sender }: JsonObject): EmailVerdicts['sender'] {
  if (sender === undefined || sender === null) return null;
  const { email, name = '' } = sender as JsonObject;
  if (typeof email !== 'string' || (name !== null && typeof name !== 'string')) {
    throw new Error('extracted_original_sender must have an email and a name');
  }
  return { email, name: name ?? '' };
}
