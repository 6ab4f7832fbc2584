import { events } from '@intake/contracts';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, invalidField, Refusal } from '@intake/rpc';
import type { Annotation } from '../annotation/annotation.types';
import type { AnnotationTools } from '../annotation/annotation-tools';
import type { SuggestedDocument, SuggestedEdit } from './suggested-edit.store';

const NO_SUCH_OBJECT = 'Invalid hyperlink - Object does not exist.';

/** What a client proposes. */
export type GivenEdit = Pick<SuggestedEdit, 'id' | 'annotationId' | 'documents'>;

/** Proposals how to cut a document. API: related-objects.md section 6. */
export function createSuggestedEdits({
  backbone,
  store,
  queues,
  suggestedEdits,
}: Pick<AnnotationTools, 'backbone' | 'store' | 'queues' | 'suggestedEdits'>) {
  /** The pages must be the annotation's, the queues ones that the caller sees. */
  const check = async (caller: Caller, { pageIds }: Annotation, documents: readonly SuggestedDocument[]) => {
    const wrong = (message: string) => invalidField('documents', message);
    if (documents.some(({ pages }) => pages.some(({ pageId }) => !pageIds.includes(pageId)))) {
      throw wrong('Every page must be one of the annotation.');
    }
    const ids = [...new Set(documents.map(({ targetQueueId }) => targetQueueId))];
    const { queues: found } = ids.length > 0 ? await queues.getQueues({ ids }, caller) : { queues: [] };
    if (found.length !== ids.length) throw wrong(NO_SUCH_OBJECT);
  };
  const tell = (session: ClientSession, { id, documents: _, ...edit }: SuggestedEdit, deleted = false): void =>
    backbone.emit(session, {
      subject: 'annotation.suggested_edit_changed',
      aggregate: `suggested_edit:${id}`,
      version: edit.version,
      payload: events.SuggestedEditChanged.fromPartial({ ...edit, suggestedEditId: id, deleted }),
    });

  return {
    async create(caller: Caller, { annotationId, documents }: GivenEdit): Promise<SuggestedEdit> {
      const [annotation] = await store.getMany(caller, [annotationId]);
      if (!annotation) throw invalidField('annotation', NO_SUCH_OBJECT);
      await check(caller, annotation, documents);
      const id = await backbone.ids.next('suggested_edit');
      return transaction(backbone.database, async (session) => {
        const before = await store.get(caller, annotationId, session);
        if (before.status === 'purged') throw new Refusal('CONFLICT_STATUS');
        if (before.suggestedEditId !== null) {
          throw invalidField('annotation', 'The annotation has a suggested edit already: change or delete that.');
        }
        const { organizationId, queueId } = before;
        const edit: SuggestedEdit = { id, organizationId, queueId, annotationId, version: 1, documents };
        await suggestedEdits.insert(session, edit);
        await store.setSuggestedEdit(session, annotationId, id);
        tell(session, edit);
        return edit;
      });
    },
    async update(caller: Caller, { id, documents }: GivenEdit): Promise<SuggestedEdit> {
      const edit = await suggestedEdits.get(caller, id);
      await check(caller, await store.get(caller, edit.annotationId), documents);
      return transaction(backbone.database, async (session) => {
        const before = await suggestedEdits.get(caller, id, session);
        const after: SuggestedEdit = { ...before, version: before.version + 1, documents };
        await suggestedEdits.save(session, after);
        tell(session, after);
        return after;
      });
    },
    async remove(caller: Caller, id: number): Promise<void> {
      await transaction(backbone.database, async (session) => {
        const before = await suggestedEdits.get(caller, id, session);
        await suggestedEdits.remove(session, id);
        await store.setSuggestedEdit(session, before.annotationId, null);
        tell(session, { ...before, version: before.version + 1 }, true);
      });
    },
  };
}
