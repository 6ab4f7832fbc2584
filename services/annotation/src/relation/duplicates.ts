import { createHash } from 'node:crypto';
import type { extraction } from '@intake/contracts';
import { type ClientSession, isDuplicateKey } from '@intake/mongo';
import type { Annotation } from '../annotation/annotation.types';
import type { AnnotationTools } from '../annotation/annotations';

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
  /** The kinds of duplicates there are, each with the key of its relation. */
  const find = async (session: ClientSession | undefined, annotation: Annotation) => {
    const { md5, fingerprint } = annotation;
    const sameBytes = md5 ? await store.findDuplicates(session, annotation, { md5 }) : [];
    const known = new Set(sameBytes.map(({ id }) => id));
    const sameFacts = fingerprint ? await store.findDuplicates(session, annotation, { fingerprint }) : [];
    // A relation of its own only for what the bytes do not say already.
    const others = sameFacts.filter(({ id }) => !known.has(id));
    return [
      ...(md5 && sameBytes.length > 0 ? [{ key: md5, annotations: sameBytes }] : []),
      ...(fingerprint && others.length > 0 ? [{ key: fingerprint, annotations: sameFacts }] : []),
    ];
  };

  return {
    async exist(annotation: Annotation): Promise<boolean> {
      return (await find(undefined, annotation)).length > 0;
    },
    /** Puts an annotation into a relation with its duplicates. */
    async link(session: ClientSession, annotation: Annotation): Promise<void> {
      const { organizationId } = annotation;
      for (const { key, annotations } of await find(session, annotation)) {
        const all = [...annotations, annotation];
        const known = await relations.findDuplicates(session, organizationId, key);
        const id = known?.id ?? (await backbone.ids.next('relation'));
        if (known) {
          for (const one of all) await relations.add(session, id, one);
        } else {
          await relations.insert(session, {
            id,
            organizationId,
            type: 'duplicate',
            key,
            parentId: null,
            annotationIds: all.map((one) => one.id),
            queueIds: [...new Set(all.map((one) => one.queueId))],
          });
        }
        await store.changeIds(
          session,
          all.map((one) => one.id),
          'relationIds',
          { add: [id] },
        );
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
