import { type Caller, Refusal } from '@intake/rpc';

/** Who changed an object last, and when; null: nobody since it was made. */
export interface Modified {
  readonly modifiedById: number | null;
  readonly modifiedAt: Date | null;
}

/** Of a new object. */
export const UNMODIFIED: Modified = { modifiedById: null, modifiedAt: null };

/** The mark of a change by this caller. */
export function modifiedBy(caller: Caller): Modified {
  return { modifiedById: caller.userId, modifiedAt: new Date() };
}

/**
 * The fields of an update: those that are named and may be written.
 *
 * @param empties the fields that may be written, each with what it is when it is named and absent
 */
export function readChange<T extends object>(
  message: object | undefined,
  names: readonly string[],
  empties: T,
): Partial<T> {
  const given = message as Record<string, unknown> | undefined;
  const change: Record<string, unknown> = {};
  for (const [name, empty] of Object.entries(empties)) {
    if (names.includes(name)) change[name] = given?.[name] ?? empty;
  }
  return change as Partial<T>;
}

/** The object, or NOT_FOUND. */
export function found<T>(object: T | null | undefined): T {
  if (object === null || object === undefined) throw new Refusal('NOT_FOUND');
  return object;
}
