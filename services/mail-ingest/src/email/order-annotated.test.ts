import { type MailOrder, type MailPlace, valuesOfMail } from './order-annotated';

const places: MailPlace[] = [
  { id: 1, type: 'incoming', threadId: 1, sender: 'Zoe@example.org', relatedAnnotationIds: [] },
  { id: 2, type: 'incoming', threadId: null, sender: '', relatedAnnotationIds: [] },
  { id: 3, type: 'incoming', threadId: 3, sender: 'adam@example.org', relatedAnnotationIds: [] },
  { id: 4, type: 'outgoing', threadId: 3, sender: 'inbox@example.org', relatedAnnotationIds: [70, 71] },
  { id: 5, type: 'outgoing', threadId: 5, sender: 'inbox@example.org', relatedAnnotationIds: [71] },
];
const valuesBy = (order: MailOrder) => {
  const { emails, annotations } = valuesOfMail(order, places, new Set([3]));
  return { emails: [...emails], annotations: [...annotations] };
};

describe('values by which annotations are ordered', () => {
  it('are threads, of the first mail about an annotation', () => {
    expect(valuesBy('email_thread')).toEqual({
      emails: [
        [1, 1],
        [3, 3],
      ],
      annotations: [
        [70, 3],
        [71, 3],
      ],
    });
  });
  it('are senders by their addresses, whatever the case; unknown ones have none', () => {
    expect(valuesBy('email_sender')).toEqual({
      emails: [
        [1, 2],
        [3, 0],
      ],
      annotations: [],
    });
  });
  it('are 1 for threads with replies', () => {
    expect(valuesBy('has_email_thread_with_replies').emails).toEqual([
      [1, 0],
      [3, 1],
    ]);
  });
});
