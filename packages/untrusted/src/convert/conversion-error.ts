/** Why a document could not be turned into a PDF that can be read. */
export type ConversionReason = 'unsupported' | 'corrupt' | 'needs_program';

/** The document could not be converted; `message` is a text for the person who sent it. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';

  constructor(
    readonly reason: ConversionReason,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
