/** A mail before it is sent. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Why a user gets a mail with a link that sets a password. */
export type LetterKind = 'reset' | 'invitation';

/** A mail that is still to be sent. */
export interface Letter {
  readonly id: string;
  readonly kind: LetterKind;
  /** E-mail address; who has it is found out when the mail is sent, so that asking takes the same time for everybody. */
  readonly address: string;
  /** Only this user, or everybody with the address. */
  readonly userId: number | null;
  readonly requestedAt: Date;
  /** How often it was tried, this time included. */
  readonly attempts: number;
}

/** How long the link in a mail works, in milliseconds: 3 days. API: auth.md section 2. */
export const LINK_LIFETIME_MS = 3 * 86_400_000;

const TEXTS = {
  reset: {
    subject: 'Set a new password',
    why: 'Somebody, probably you, asked for a new password of the user',
    otherwise: 'If it was not you, ignore this mail: the password stays as it is.',
  },
  invitation: {
    subject: 'Your invitation',
    why: 'You were invited to Intake as the user',
    otherwise: 'If you did not expect this, ignore this mail.',
  },
} as const;

/** Writes the mail with the link, which opens the page of the web interface and holds user id and token. */
export function writeMail(
  kind: LetterKind,
  user: { readonly id: number; readonly username: string; readonly email: string },
  token: string,
  publicUrl: string,
): Mail {
  const { subject, why, otherwise } = TEXTS[kind];
  const link = `${publicUrl}/reset-password#uid=${user.id}&token=${token}`;
  const lines = [`${why} ${user.username}.`, '', 'Choose a password here within 3 days:', link, '', otherwise, ''];
  return { to: user.email, subject, text: lines.join('\n') };
}
