import { acceptsMimeType } from '@intake/untrusted';
import { RE2JS } from 're2js';
import type { ParsedAttachment } from '../mail/parse-message';
import type { InboxRules } from './inbox-rules';

/** What is to become of an attachment. API: email-import.md section 1.3. */
export interface Verdict {
  /** `attachment_status`; empty: its bytes stand in the message twice. */
  readonly status: string;
  /** In words for people; empty for what is imported. */
  readonly reason: string;
}

/** API: limits.md: file size, and sum of the files of an upload. */
export const MAX_FILE_BYTES = 40 * 1024 * 1024;
/** API: limits.md, small images. */
const SMALL_PX = 100;
const ZIP = 'application/zip';
const PROCESSED: Verdict = { status: 'processed', reason: '' };

const INSECURE_EXTENSIONS =
  /\.(exe|com|scr|pif|bat|cmd|msi|msp|mst|cpl|dll|sys|js|jse|vbs|vbe|vb|wsf|wsh|ws|hta|ps1|psm1|sh|bash|jar|jnlp|lnk|reg|inf|scf|url|chm|hlp|app|apk|dmg|iso|img|vhd|vhdx|elf|py|pl|rb|php)$/i;
const INSECURE_TYPES =
  /^application\/(x-msdownload|x-msdos-program|x-dosexec|x-executable|x-sharedlib|x-mach-binary|vnd\.microsoft\.portable-executable|x-msi|x-sh|x-shellscript|x-bat|javascript|x-javascript|ecmascript|java-archive|x-java-archive|hta|x-ms-shortcut|x-apple-diskimage)$|^text\/(javascript|vbscript|x-python|x-shellscript|x-sh)$/i;

/** The first check that fires, in the order of the API. Archives are opened later, by whoever stores them. */
export function judgeAttachment(
  attachment: Omit<ParsedAttachment, 'path' | 'sha256'>,
  rules: Pick<InboxRules, 'accepts' | 'rejection' | 'notifications'>,
): Verdict {
  const { fileName, mimeType, declaredType, size, image, isExecutable } = attachment;
  if (
    isExecutable ||
    INSECURE_EXTENSIONS.test(fileName) ||
    INSECURE_TYPES.test(mimeType) ||
    INSECURE_TYPES.test(declaredType)
  )
    return { status: 'filtered_by_insecure_mime_type', reason: 'Programs and scripts are not taken.' };
  // What is asked of a document is asked of each of its files.
  if (mimeType === ZIP && size > 0 && size <= MAX_FILE_BYTES && rules.accepts(ZIP)) return PROCESSED;
  if (image === 'broken') return { status: 'broken_image', reason: 'The image cannot be read.' };
  const shown = image && `${image.width} x ${image.height} pixels`;
  if (image && image.width <= SMALL_PX && image.height <= SMALL_PX && !rules.notifications.unprocessableAttachments)
    return { status: 'filtered_by_inbox_resolution', reason: `Small images (${shown}) are ignored.` };
  const { rejection } = rules;
  if (rejection) {
    const least = rejection.resolutionLowerThanPx;
    if (image && least && image.width < least[0] && image.height < least[1])
      return {
        status: 'filtered_by_inbox_resolution',
        reason: `The image (${shown}) is smaller than the inbox takes (${least[0]} x ${least[1]}).`,
      };
    if (rejection.fileSizeLessThan !== null && size < rejection.fileSizeLessThan)
      return {
        status: 'filtered_by_inbox_size',
        reason: `The file (${size} bytes) is smaller than the inbox takes (${rejection.fileSizeLessThan} bytes).`,
      };
  }
  if (size > MAX_FILE_BYTES) return { status: 'filtered_by_inbox_size', reason: 'The file is larger than 40 MB.' };
  if (size === 0) return { status: 'filtered_by_inbox_size', reason: 'The file is empty.' };
  if (rejection) {
    if (acceptsMimeType(rejection.mimeTypes, mimeType))
      return { status: 'filtered_by_inbox_mime_type', reason: `The inbox does not take ${mimeType}.` };
    const pattern = rejection.fileNameRegexes.find((one) => RE2JS.compile(one).matcher(fileName).find());
    if (pattern !== undefined)
      return { status: 'filtered_by_inbox_file_name', reason: `The inbox does not take names that match ${pattern}.` };
  }
  if (!rules.accepts(mimeType)) return { status: 'filtered_by_queue_mime_type', reason: whyNotTaken(attachment) };
  return PROCESSED;
}

/** What senders put into mails without knowing it is told in other words than by its type. */
function whyNotTaken({ fileName, mimeType, declaredType }: Pick<ParsedAttachment, Named>): string {
  const is = (type: RegExp) => type.test(mimeType) || type.test(declaredType);
  if (is(/^application\/(vnd\.)?ms-tnef$/i) || /^winmail\.dat$/i.test(fileName))
    return 'Outlook has packed the attachments into this file, which is not opened; send the e-mail as HTML or plain text.';
  if (is(/^application\/vnd\.ms-outlook$/i))
    return 'The e-mail that Outlook stored in this file is damaged; attach the documents themselves.';
  if (is(/^application\/(x-)?pkcs7-mime$/i) || /^encrypted\.asc$/i.test(fileName))
    return 'The e-mail is encrypted, or its signature is damaged, and it cannot be read; send it without either.';
  return `The queue does not take ${mimeType}.`;
}

type Named = 'fileName' | 'mimeType' | 'declaredType';

/** Verdicts on all attachments of a message, in order. Bytes that come twice are imported once. */
export function judgeAttachments(
  attachments: readonly ParsedAttachment[],
  rules: Pick<InboxRules, 'accepts' | 'rejection' | 'notifications'>,
): Verdict[] {
  const seen = new Set<string>();
  let sum = 0;
  return attachments.map((attachment) => {
    if (seen.has(attachment.sha256)) return { status: '', reason: 'The same file stands in the message twice.' };
    const verdict = judgeAttachment(attachment, rules);
    if (verdict.status !== 'processed') return verdict;
    seen.add(attachment.sha256);
    sum += attachment.size;
    return sum > MAX_FILE_BYTES
      ? { status: 'filtered_by_inbox_size', reason: 'The files of the message together are larger than 40 MB.' }
      : verdict;
  });
}

/** Whether an attachment counts among `filtered_out_document_count`. */
export function isFilteredOut(status: string): boolean {
  return status.startsWith('filtered_by_');
}

/** Whether an attachment could not be imported. API: email-import.md section 5. */
export function isUnprocessable(status: string): boolean {
  return status !== '' && !['processed', 'extracted_archive', 'hook_additional_file'].includes(status);
}
