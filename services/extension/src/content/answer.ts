import type { annotation } from '@intake/contracts';
import type { JsonObject } from '../webhook/outcome';

/** A message about an annotation, for people. */
export type Message = annotation.Message;

/** Longest text of a message. API: limits.md. */
const LONGEST = 4096;
/** All that an answer says to people, in characters: it is kept with the annotation. */
const MOST_SAID = 1_000_000;
const TYPES = ['error', 'warning', 'info'];

/** What an extension said about the content of an annotation. */
export interface Answer {
  readonly messages: readonly Message[];
  /** As the annotation service takes them. */
  readonly operations: readonly unknown[];
  /** Reasons to show it to a person. */
  readonly blockers: readonly Message[];
}

/** Who says it, with the API's names (API: annotation-content.md section 6). */
export type Detail = JsonObject;

/** A message as it is kept. */
export function messageOf(type: string, content: string, detail?: Detail, id = 'all'): Message {
  return {
    ...{ id, type, content: content.slice(0, LONGEST), detail: detail && { ...detail } },
    ...{ aggregationType: undefined, schemaId: undefined, label: undefined },
  };
}

/**
 * Reads the answer of a hook or connector (API: hooks-and-connectors.md section 4.1). Throws an Error that says what is wrong with it.
 *
 * @param nodeIds of the annotation: a message about anything else is one about the whole document
 */
export function readAnswer(body: JsonObject, nodeIds: ReadonlySet<number>, detail?: Detail): Answer {
  const idOf = (id: unknown): string => {
    const known = typeof id === 'number' || typeof id === 'string' ? Number(id) : Number.NaN;
    return nodeIds.has(known) ? String(known) : 'all';
  };
  const messages = listOf(body, 'messages').map((one, i) => {
    const { id, type, content } = objectOf(one, `messages[${i}]`);
    if (typeof type !== 'string' || !TYPES.includes(type)) {
      throw new Error(`messages[${i}].type must be one of ${TYPES.join(', ')}`);
    }
    if (typeof content !== 'string') throw new Error(`messages[${i}].content must be a text`);
    const given = (one as JsonObject).detail;
    const own = typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Detail) : detail;
    return messageOf(type, content, own, idOf(id));
  });
  const blockers = listOf(body, 'automation_blockers').map((one, i) => {
    const { id, content } = objectOf(one, `automation_blockers[${i}]`);
    if (typeof content !== 'string') throw new Error(`automation_blockers[${i}].content must be a text`);
    return messageOf('error', content, undefined, idOf(id));
  });
  if (JSON.stringify([messages, blockers]).length > MOST_SAID) {
    throw new Error(`its messages have more than ${MOST_SAID} characters together`);
  }
  return { messages, operations: listOf(body, 'operations'), blockers };
}

/** The old form in which connectors change values, as operations (API: hooks-and-connectors.md section 7.3). */
export function operationsOfUpdates(body: JsonObject): unknown[] {
  return listOf(body, 'updated_datapoints').map((one, i) => {
    const { id, value, position, hidden, options } = objectOf(one, `updated_datapoints[${i}]`);
    const content = {
      ...(value !== undefined && { normalized_value: value }),
      ...(position !== undefined && { position }),
    };
    return {
      op: 'replace',
      id,
      value: {
        ...(Object.keys(content).length > 0 && { content, validation_sources: ['connector'] }),
        ...(hidden !== undefined && { hidden }),
        ...(options !== undefined && { options }),
      },
    };
  });
}

function listOf(body: JsonObject, key: string): readonly unknown[] {
  const value = body[key] ?? [];
  if (!Array.isArray(value)) throw new Error(`${key} must be a list`);
  return value;
}

function objectOf(value: unknown, place: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${place} must be an object`);
  return value as JsonObject;
}
