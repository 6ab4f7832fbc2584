import { type Caller, invalidField, Refusal } from '@intake/rpc';
import type { Email } from './email';
import type { EmailChanges, EmailStore } from './email.store';

/** Writes what a client may write of an e-mail. NOT_FOUND; field error: `parent`. API: email-import.md section 2. */
export async function changeEmail(
  caller: Caller,
  id: number,
  changes: EmailChanges,
  emails: Pick<EmailStore, 'find' | 'update'>,
): Promise<Email> {
  const parent = changes.parentId ? await emails.find(caller, changes.parentId) : null;
  if (changes.parentId && !parent) throw invalidField('parent', 'Invalid hyperlink - Object does not exist.');
  const seen = new Set<number>();
  for (let above = parent; above && !seen.has(above.id); ) {
    if (above.id === id) throw invalidField('parent', 'An e-mail cannot answer itself.');
    seen.add(above.id);
    above = above.parentId === null ? null : await emails.find(caller, above.parentId);
  }
  const changed = await emails.update(caller, id, changes);
  if (!changed) throw new Refusal('NOT_FOUND');
  return changed;
}
