import type { documentStorage, extension, queue } from '@intake/contracts';
import type { Client } from '@intake/rpc';
import type { BlockerStore } from '../automation/blocker.store';
import type { ContentStore } from '../content/content.store';
import type { ReadingStore } from '../migration/reading.store';
import type { NoteStore } from '../note/note.store';
import type { RelationStore } from '../relation/relation.store';
import type { Schemas } from '../schema/schemas';
import type { SuggestedEditStore } from '../suggested-edit/suggested-edit.store';
import type { ChangeTools } from './changes';
import type { IdempotencyStore } from './idempotency.store';
import type { Rules } from './rules';

/** What the domain stands on. */
export interface AnnotationTools extends ChangeTools {
  readonly content: ContentStore;
  readonly idempotency: IdempotencyStore;
  readonly readings: ReadingStore;
  readonly schemas: Schemas;
  readonly queues: Client<typeof queue.QueueServiceService>;
  readonly storage: Client<typeof documentStorage.DocumentStorageServiceService>;
  readonly extensions: Client<typeof extension.ExtensionServiceService>;
  readonly notes: NoteStore;
  readonly relations: RelationStore;
  readonly blockers: BlockerStore;
  readonly suggestedEdits: SuggestedEditStore;
  readonly rules: Rules;
}
