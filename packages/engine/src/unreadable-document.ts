/** Why a document cannot be read. */
export type UnreadableReason =
  | 'encrypted'
  | 'corrupt'
  | 'empty'
  | 'no_pages'
  | 'too_many_pages'
  | 'needs_program'
  | 'unsupported';

/** The document cannot be read; `message` is a text for the person who sent it. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';

  constructor(
    readonly reason: UnreadableReason,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
