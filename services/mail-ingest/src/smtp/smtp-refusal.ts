/** A negative answer to an SMTP command. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';
  readonly responseCode: number;

  /**
   * @param code the reply code; with an enhanced status code of our own as text (`550 5.7.1`), because the server otherwise
   *   adds the one that is usual for the reply code
   */
  constructor(code: number | `${number} ${number}.${number}.${number}`, text: string) {
    super(text);
    this.responseCode = code as number;
  }
}
