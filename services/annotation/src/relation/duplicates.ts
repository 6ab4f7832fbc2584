import { createHash } from 'node:crypto';
import type { extraction } from '@intake/contracts';
import { type ClientSession, isDuplicateKey } from '@intake/mongo';
import { MOST_DUPLICATES, type Shared } from '../annotation/annotation.store';
import type { Annotation } from '../annotation/annotation.types';
import type { AnnotationTools } from '../annotation/annotation-tools';

/** Names under which the engine tells the sender, the surest first. */
const SENDERS = ['sender_vat_id', 'sender_dic', 'sender_ic', 'sender_name'];

/**
 * What makes two documents probably the same: sender, number and total. Null when one of them was not read.
 *
 * @returns MD5 in hex, as the key of a relation is
 */
export function fingerprintOf(fields: Readonly<Record<string, extraction.Candidates>>): string | null {
  const first = (name: string) =>
    fields[name]?.candidates[0]?.value.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, '') ?? '';
  const sender = SENDERS.map(first).find((value) => value !== '') ?? '';
  const parts = [sender, first('document_id'), first('amount_total')];
  return parts.includes('') ? null : createHash('md5').update(parts.join('\n')).digest('hex');
}

/** The same document come twice: shown as a relation, never dropped. API: related-objects.md section 3. */
export function createDuplicates({
  backbone,
  store,
  relations,
}: Pick<AnnotationTools, 'backbone' | 'store' | 'relations'>) {
  /** What an annotation shares with others, with the key of their relation: facts only where the bytes do not say so already. */
  const findShared = async (session: ClientSession | undefined, annotation: Annotation) => {
    const shared: { by: Shared; key: string }[] = [];
    for (const by of ['md5', 'fingerprint'] as const) {
      const key = annotation[by];
      if (key && (await store.hasDuplicates(session, annotation, by))) shared.push({ by, key });
    }
    return shared;
  };

  return {
    async exist(annotation: Annotation): Promise<boolean> {
      return (await findShared(undefined, annotation)).length > 0;
    },
    /** Puts an annotation into a relation with its duplicates, as long as there is room in it. */
    async link(session: ClientSession, annotation: Annotation): Promise<void> {
      const { organizationId } = annotation;
      for (const { by, key } of await findShared(session, annotation)) {
        const known = await relations.findDuplicates(session, organizationId, key);
        if (known && known.annotationIds.length >= MOST_DUPLICATES) continue;
        // The others of a relation that is there were put into it when they came.
        const all = known ? [annotation] : [...(await store.findDuplicates(session, annotation, by)), annotation];
        const id = known?.id ?? (await backbone.ids.next('relation'));
        if (known) await relations.add(session, id, annotation);
        else
          await relations.insert(session, {
            id,
            organizationId,
            type: 'duplicate',
            key,
            parentId: null,
            annotationIds: all.map((one) => one.id),
            queueIds: [...new Set(all.map((one) => one.queueId))],
          });
        await store.changeIds(
          session,
          all.map((one) => one.id),
          'relationIds',
          { add: [id] },
        );
      }
    },
    /** Takes an annotation out of its relations; the last one of a relation has no duplicates any more, and the relation goes. */
    async leave(session: ClientSession, annotationId: number): Promise<void> {
      for (const { id, annotationIds } of await relations.leaveDuplicates(session, annotationId)) {
        const isOver = annotationIds.length < 2;
        if (isOver) await relations.remove(session, id);
        await store.changeIds(session, [annotationId, ...(isOver ? annotationIds : [])], 'relationIds', {
          remove: [id],
        });
      }
    },
    /** Runs a transaction again that met another one making the same relation. */
    async retry<T>(task: () => Promise<T>): Promise<T> {
      try {
        return await task();
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return task();
      }
    },
  };
}
