import type { Effect } from '@intake/bus';
import type { annotation, documentStorage, events } from '@intake/contracts';
import {
  type ConfirmedRow,
  type ConfirmedValue,
  keepCorrections,
  keysOfDocument,
  learnLesson,
  type Position,
  type Recognition,
  type RecognizedPage,
  recall,
} from '@intake/engine';
import { type Caller, type Client, Refusal, systemCaller } from '@intake/rpc';
import type { LessonStore } from './lesson.store';

/** What the memory is kept with. */
export interface MemoryTools {
  readonly lessons: LessonStore;
  readonly documents: Client<typeof documentStorage.DocumentStorageServiceService>;
  readonly annotations: Client<typeof annotation.AnnotationServiceService>;
}

/** Pages that are looked at for where values stand. */
const MOST_PAGES = 32;

/** Puts right what was read by what was confirmed in earlier documents of the same sender and organization. */
export async function remember(
  lessons: LessonStore,
  organizationId: number,
  recognition: Recognition,
): Promise<Recognition> {
  if (recognition.eInvoice) return recognition;
  const keys = keysOfDocument(recognition.fields);
  const found = keys.length > 0 ? await lessons.findOfSenders(organizationId, keys) : [];
  return found.length > 0 ? { ...recognition, ...recall(recognition, found) } : recognition;
}

/** Learns from an annotation that a person has confirmed; what automation confirms teaches nothing. */
export async function prepareLesson(
  { lessons, documents, annotations }: MemoryTools,
  { annotationId, organizationId, queueId, trigger, actorId, at }: events.AnnotationChanged,
): Promise<Effect> {
  const nothing: Effect = async () => {};
  if (trigger !== 'confirm' || !actorId) return nothing;
  const caller = systemCaller('extraction', organizationId);
  try {
    const [{ values, lineItems }, pages] = await Promise.all([
      annotations.getConfirmedValues({ annotationId }, caller),
      readPages(documents, annotationId, caller),
    ]);
    const confirmed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toConfirmed(value)]));
    const rows = lineItems.map(toConfirmedRow);
    const learned = learnLesson(pages, confirmed, rows);
    if (!learned) return nothing;
    const earlier = await lessons.findOfSenders(organizationId, learned.keys);
    const lesson = keepCorrections(
      learned,
      rows,
      earlier.filter((one) => one.annotationId !== annotationId),
    );
    const senderName = (values.sender_name?.value ?? '').slice(0, 200);
    const learnedAt = at ?? new Date();
    return (session) =>
      lessons.save(session, { ...lesson, annotationId, organizationId, queueId, senderName, learnedAt });
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'NOT_FOUND') return nothing; // purged meanwhile
    throw error;
  }
}

async function readPages(
  documents: MemoryTools['documents'],
  annotationId: number,
  caller: Caller,
): Promise<RecognizedPage[]> {
  const list = {
    annotationIds: [annotationId],
    ids: [],
    numbers: [],
    ordering: ['number'],
    page: 1,
    pageSize: MOST_PAGES,
  };
  const [{ pages }, { pages: texts }] = await Promise.all([
    documents.listPages(list, caller),
    documents.getPageTexts({ annotationId, numbers: [] }, caller),
  ]);
  return pages.flatMap(({ id, number, width, height, rotationDeg }): RecognizedPage[] => {
    const text = texts.find(({ pageId }) => pageId === id);
    if (!text) return [];
    const words = JSON.parse(text.wordsJson) as [string, number, number, number, number, number][];
    return [
      {
        ...{ number, width, height, rotation: rotationDeg, source: text.source === 'ocr' ? 'ocr' : 'text' },
        words: words.map(([text, left, top, right, bottom, line]) => ({
          text,
          position: [left, top, right, bottom],
          line,
          confidence: 1,
        })),
      },
    ];
  });
}

function toConfirmed({ value, page, position, read }: annotation.ConfirmedValue): ConfirmedValue {
  return {
    value,
    ...toPlace(page, position),
    read: read ? { value: read.value, ...toPlace(read.page, read.position) } : null,
  };
}

function toConfirmedRow({ cells }: annotation.ConfirmedRow): ConfirmedRow {
  const columns = Object.entries(cells);
  const read = columns.flatMap(([column, { read }]) => (read ? [[column, read] as const] : []));
  return {
    row: Object.fromEntries(columns.map(([column, { value }]) => [column, value])),
    read: read.length > 0 ? Object.fromEntries(read) : null,
  };
}

function toPlace(page: number, position: readonly number[]): Pick<ConfirmedValue, 'page' | 'position'> {
  const isBox = page > 0 && position.length === 4;
  return isBox ? { page, position: position as unknown as Position } : { page: null, position: null };
}
