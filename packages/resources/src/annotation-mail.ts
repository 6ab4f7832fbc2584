import { type annotation, mailIngest } from '@intake/contracts';
import { type Caller, type Client, isNeighbourAway } from '@intake/rpc';
import type { AnnotationMail } from './annotation';

interface Services {
  readonly mail: Pick<Client<typeof mailIngest.MailIngestServiceService>, 'listEmails' | 'listThreads'>;
}

/** E-mails about one page of annotations that are looked at. */
const MOST_EMAILS = 1000;
/** Annotations are shown without their e-mails rather than late. */
const PATIENCE_MS = 2000;

type Annotated = Pick<annotation.Annotation, 'id' | 'emailId' | 'hasSentEmails'>;
type MailOf = (id: number) => AnnotationMail | undefined;

/**
 * The e-mails of annotations: the thread that each belongs to, by the last mail that reset it, the one that brought it, or else the first
 * that was sent about it. While mail-ingest is away, none.
 */
export async function readAnnotationMail(
  { mail }: Services,
  rows: readonly Annotated[],
  caller: Caller,
): Promise<MailOf> {
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
  const emailIds = distinct(rows.map(({ emailId }) => emailId));
  const sentAboutIds = rows.filter(({ hasSentEmails }) => hasSentEmails !== false).map(({ id }) => id);
  try {
    const [incoming, related] = await Promise.all([
      emailIds.length > 0 ? listEmails({ ids: emailIds }) : [],
      sentAboutIds.length > 0 ? listEmails({ relatedAnnotationIds: sentAboutIds }) : [],
    ]);
    const threads = await findThreads(distinct([...incoming, ...related].map(({ threadId }) => threadId)));
    return (id) => {
      const emailId = rows.find((row) => row.id === id)?.emailId;
      const sent = related.filter(({ relatedAnnotationIds }) => relatedAnnotationIds.includes(id));
      const decisive =
        sent.findLast(({ resetsThreads }) => resetsThreads) ??
        incoming.find((email) => email.id === emailId) ??
        sent[0];
      const thread = threads.find((one) => one.id === decisive?.threadId);
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

function distinct(ids: readonly (number | undefined)[]): number[] {
  return [...new Set(ids.filter((id): id is number => id !== undefined && id > 0))];
}
