import { X509Certificate } from 'node:crypto';
import { type FieldErrors, Refusal } from '@intake/rpc';

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The message for a reference to an object that is not there, or that the caller may not see. */
export const NO_SUCH_OBJECT = 'Invalid hyperlink - Object does not exist.';

const MAX_NAME_LENGTH = 255;
const MAX_METADATA_BYTES = 4096;
const MAX_URL_LENGTH = 2048;

/** The message for a text that is no certificate in PEM, or null. Without a text there is nothing to refuse. */
export function findCertificateProblem(pem: string | null | undefined): string | null {
  if (!pem) return null;
  try {
    new X509Certificate(pem);
    return null;
  } catch {
    return 'Enter a valid certificate in PEM format.';
  }
}

/** The message for a name that is empty or longer than 255 characters, or null. */
export function findNameProblem(name: string): string | null {
  if (name.trim() === '') return 'This field may not be blank.';
  return [...name].length > MAX_NAME_LENGTH
    ? `Ensure this field has no more than ${MAX_NAME_LENGTH} characters.`
    : null;
}

/** The message for metadata larger than 4 kB of compact JSON, or null. API: README.md section 7. */
export function findMetadataProblem(metadata: JsonObject | undefined): string | null {
  if (Buffer.byteLength(JSON.stringify(metadata ?? {})) <= MAX_METADATA_BYTES) return null;
  return `Ensure this field has no more than ${MAX_METADATA_BYTES} bytes.`;
}

/** Throws a field error that names every field with a problem; null means no problem. `further`: field errors that are there already. */
export function refuseProblems(problems: Readonly<Record<string, string | null>>, further?: FieldErrors | null): void {
  const fields: FieldErrors = { ...further };
  for (const [field, problem] of Object.entries(problems)) if (problem !== null) fields[field] = [problem];
  if (Object.keys(fields).length > 0) throw new Refusal('INVALID', { fields });
}

/** The message for a text that is no http or https URL, or null. */
export function findUrlProblem(text: string): string | null {
  if (text === '') return 'This field is required.';
  if (text.length > MAX_URL_LENGTH) return `Ensure this field has no more than ${MAX_URL_LENGTH} characters.`;
  if (!URL.canParse(text)) return 'Enter a valid URL.';
  const { protocol, hostname } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && hostname !== '' ? null : 'Enter a valid URL.';
}
