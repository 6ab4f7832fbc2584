/** What became of an archive that was not opened, as `attachment_status` names it. API: documents-and-uploads.md section 2. */
export type ArchiveReason = 'password_protected_archive' | 'failed_to_extract';

/** The archive was not opened; `message` is a text for the person who sent it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';

  constructor(
    readonly reason: ArchiveReason,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
