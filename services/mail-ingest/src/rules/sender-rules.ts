import type { InboxRules } from './inbox-rules';
import { matchesWildcard } from './wildcard';

/** Why an inbox drops the mail of a sender; empty: it does not. Denied wins. API: email-import.md section 1.2. */
export function senderProblemOf(
  { deniedSenders, allowedSenders }: Pick<InboxRules, 'deniedSenders' | 'allowedSenders'>,
  sender: string,
): string {
  const isListed = (patterns: readonly string[]) => patterns.some((pattern) => matchesWildcard(pattern.trim(), sender));
  if (isListed(deniedSenders)) return 'The sender is denied by the inbox.';
  if (allowedSenders.length > 0 && !isListed(allowedSenders)) return 'The sender is not allowed by the inbox.';
  return '';
}
