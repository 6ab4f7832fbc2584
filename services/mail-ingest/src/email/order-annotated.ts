/** What annotations can be ordered by that their e-mails know. API: annotations.md section 9. */
export const MAIL_ORDERS = [
  'email_thread',
  'email_sender',
  'has_email_thread_with_replies',
  'has_email_thread_with_new_replies',
] as const;
export type MailOrder = (typeof MAIL_ORDERS)[number];

/** Where an e-mail belongs. */
export interface MailPlace {
  readonly id: number;
  readonly type: 'incoming' | 'outgoing';
  readonly threadId: number | null;
  /** Address of the sender; empty: unknown. */
  readonly sender: string;
  /** Annotations that it was sent about. */
  readonly relatedAnnotationIds: readonly number[];
}

/** Values to order by: of incoming e-mails, and of annotations that no e-mail brought but some were sent about. */
export interface MailValues {
  readonly emails: ReadonlyMap<number, number>;
  readonly annotations: ReadonlyMap<number, number>;
}

/**
 * What annotations are to be ordered by. What is not there has no value; of several mails about an annotation the first counts.
 *
 * @param places by id
 * @param flaggedThreads threads with (new) replies, for orders by these: their value is 1, that of others 0
 */
export function valuesOfMail(
  order: MailOrder,
  places: readonly MailPlace[],
  flaggedThreads: ReadonlySet<number>,
): MailValues {
  const ranks = order === 'email_sender' ? rank(places.map(({ sender }) => sender.toLowerCase())) : new Map();
  const valueOfMail = ({ threadId, sender }: MailPlace): number | undefined => {
    if (order === 'email_sender') return ranks.get(sender.toLowerCase());
    if (threadId === null) return undefined;
    return order === 'email_thread' ? threadId : Number(flaggedThreads.has(threadId));
  };
  const emails = new Map<number, number>();
  const annotations = new Map<number, number>();
  for (const place of places) {
    const value = valueOfMail(place);
    if (value === undefined) continue;
    if (place.type === 'incoming') emails.set(place.id, value);
    // Mails about an annotation come from the inbox: they have its thread, but no sender of its own.
    if (order === 'email_sender') continue;
    for (const id of place.relatedAnnotationIds) if (!annotations.has(id)) annotations.set(id, value);
  }
  return { emails, annotations };
}

/** The place of each text in their order; none of the empty one. */
function rank(texts: readonly string[]): Map<string, number> {
  const sorted = [...new Set(texts)].filter((text) => text !== '').sort((one, other) => (one < other ? -1 : 1));
  return new Map(sorted.map((text, i) => [text, i]));
}
