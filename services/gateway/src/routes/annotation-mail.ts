import { type annotation, mailIngest } from '@intake/contracts';
import type { AnnotationMail } from '@intake/resources';
import { type Caller, isNeighbourAway } from '@intake/rpc';
import type { Services } from '../services';
import { distinct } from './lookups';

/** E-mails about one page of annotations that are looked at. */
const MOST_EMAILS = 1000;
/** Annotations are shown without their e-mails rather than late. */
const PATIENCE_MS = 2000;

/**
 * The e-mails of annotations: the thread that each belongs to, by the mail that brought it or else the first that was sent about it. While
 * mail-ingest is away, none.
 */
export async function readAnnotationMail(
  { mail }: Pick<Services, 'mail'>,
  rows: readonly Pick<annotation.Annotation, 'id' | 'emailId'>[],
  caller: Caller,
): Promise<(id: number) => AnnotationMail | undefined> {
  const listEmails = async (filter: Partial<mailIngest.ListEmailsRequest>) => {
    const request = mailIngest.ListEmailsRequest.fromPartial({
      ...filter,
      ...{ ordering: ['id'], page: 1, pageSize: MOST_EMAILS },
    });
    return (await mail.listEmails(request, caller, { timeoutMs: PATIENCE_MS })).emails;
  };
  const findThreads = async (ids: number[]) => {
    if (ids.length === 0) return [];
    const request = mailIngest.ListThreadsRequest.fromPartial({ ids, page: 1, pageSize: ids.length });
    return (await mail.listThreads(request, caller, { timeoutMs: PATIENCE_MS })).threads;
  };
  if (rows.length === 0) return () => undefined;
  const emailIds = distinct(rows.map(({ emailId }) => emailId));
  try {
    const [incoming, related] = await Promise.all([
      emailIds.length > 0 ? listEmails({ ids: emailIds }) : [],
      listEmails({ relatedAnnotationIds: rows.map(({ id }) => id) }),
    ]);
    const threads = await findThreads(distinct([...incoming, ...related].map(({ threadId }) => threadId)));
    return (id) => {
      const emailId = rows.find((row) => row.id === id)?.emailId;
      const sent = related.filter(({ relatedAnnotationIds }) => relatedAnnotationIds.includes(id));
      const first = incoming.find((email) => email.id === emailId) ?? sent[0];
      const thread = threads.find((one) => one.id === first?.threadId);
      return {
        threadId: thread?.id,
        hasReplies: thread?.hasReplies ?? false,
        hasNewReplies: thread?.hasNewReplies ?? false,
        relatedEmailIds: sent.map((email) => email.id),
      };
    };
  } catch (error) {
    if (isNeighbourAway(error)) return () => undefined;
    throw error;
  }
}
