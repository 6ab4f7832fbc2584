import type { ClientSession } from '@intake/mongo';
import type { Email } from '../email/email';
import type { EmailStore } from '../email/email.store';
import type { ThreadStore } from './thread.store';

/** What a thread shows of the e-mail that it begins with. */
type Member = Pick<
  Email,
  'id' | 'organizationId' | 'queueId' | 'createdAt' | 'type' | 'subject' | 'from' | 'labels' | 'documentIds'
>;

/**
 * Puts an e-mail into the thread of the one that it answers, or begins a thread with it. API: email-import.md section 6.
 *
 * @param parent the e-mail that it answers; null: none of this queue
 */
export async function joinThread(
  { emails, threads }: { readonly emails: EmailStore; readonly threads: ThreadStore },
  session: ClientSession,
  email: Member,
  parent: Email | null,
): Promise<void> {
  const { id, createdAt, type } = email;
  const threadId = parent?.threadId ?? id;
  if (threadId === id) {
    const { organizationId, queueId, subject, from, labels, documentIds } = email;
    await threads.insert(session, {
      ...{ id, organizationId, queueId, rootEmailId: id, subject, from, labels, createdAt },
      ...{ hasReplies: false, hasNewReplies: false, rootEmailRead: false, lastEmailCreatedAt: createdAt },
      hasDocuments: documentIds.length > 0,
      isReplied: false,
    });
  } else {
    await threads.extend(session, threadId, { createdAt, type });
  }
  await emails.joinThread(session, email, threadId, parent);
}
