import { type FieldErrors, Refusal } from '@intake/rpc';

/** The database sorts by 32 values, and a key may need two. */
export const MAX_ORDERINGS = 10;

/**
 * The query parameters of a request. An empty value means that the parameter is not given; the same parameter given
 * several times, and commas, mean several values (API: README.md sections 4 and 6). The readers below note what is wrong and
 * `check` refuses everything at once.
 */
export class Query {
  private readonly parameters: URLSearchParams;
  private readonly problems: FieldErrors = {};

  /** @param text what stands behind the question mark */
  constructor(readonly text: string) {
    this.parameters = new URLSearchParams(text);
  }

  /** Last non-empty value. */
  get(name: string): string | undefined {
    return this.parameters.getAll(name).findLast((value) => value !== '');
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** All values, commas taken apart, blanks and empty ones dropped. */
  list(name: string): string[] {
    return this.parameters
      .getAll(name)
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== '');
  }

  /** Notes a problem of one parameter. */
  refuse(name: string, message: string): undefined {
    this.problems[name] = [message];
    return undefined;
  }

  /** Throws INVALID with every problem noted so far. */
  check(): void {
    if (Object.keys(this.problems).length > 0) throw new Refusal('INVALID', { fields: this.problems });
  }

  /** Ids: integers, several mean OR. */
  ids(name: string): number[] {
    const values = this.list(name);
    if (!values.every((value) => /^\d{1,15}$/.test(value))) {
      this.refuse(name, 'Enter a valid value.');
      return [];
    }
    return values.map(Number);
  }

  /** One or several of a closed list. */
  choices<T extends string>(name: string, allowed: readonly T[]): T[] {
    const values = this.list(name);
    const wrong = values.find((value) => !(allowed as readonly string[]).includes(value));
    if (wrong !== undefined) {
      this.refuseChoice(name, wrong);
      return [];
    }
    return values as T[];
  }

  /** One of a closed list. */
  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.get(name);
    return allowed.find((one) => one === value) ?? (value === undefined ? undefined : this.refuseChoice(name, value));
  }

  /** `true/1/t/yes/on` or `false/0/f/no/off` in any case. */
  boolean(name: string): boolean | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (/^(true|1|t|yes|y|on)$/i.test(value)) return true;
    if (/^(false|0|f|no|n|off)$/i.test(value)) return false;
    return this.refuse(name, 'Must be a valid boolean.');
  }

  /** ISO 8601 date or date-time; no zone means UTC, a date means its beginning. */
  time(name: string): Date | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    return parseTime(value) ?? this.refuse(name, 'Enter a valid date/time.');
  }

  /** `<name>_after` (inclusive) and `<name>_before` (exclusive); undefined when neither is given. */
  timeRange(name: string): { after: Date | undefined; before: Date | undefined } | undefined {
    const after = this.time(`${name}_after`);
    const before = this.time(`${name}_before`);
    return after || before ? { after, before } : undefined;
  }

  private refuseChoice(name: string, value: string): undefined {
    return this.refuse(name, `Select a valid choice. ${value} is not one of the available choices.`);
  }

  /** Ordering keys; unsupported ones are dropped. */
  ordering(isSupported: (key: string) => boolean): string[] {
    const keys = this.list('ordering').filter((key) => isSupported(key.replace(/^-/, '')));
    if (keys.length <= MAX_ORDERINGS) return keys;
    this.refuse('ordering', `Ensure this field has no more than ${MAX_ORDERINGS} keys.`);
    return [];
  }

  /** The same parameters with some of them replaced (undefined: dropped), as query text. */
  with(changes: Readonly<Record<string, string | undefined>>): string {
    const parameters = new URLSearchParams(this.parameters);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) parameters.delete(name);
      else parameters.set(name, value);
    }
    return parameters.toString();
  }
}

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]?\d{2}:?\d{2})?)?$/;

/**
 * Reads an ISO 8601 date or date-time. A blank may stand for `T`, and for the `+` of the zone (a plus sign that was decoded
 * into a space). Null when it is none.
 */
export function parseTime(text: string): Date | null {
  const match = TIME.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const offset = /^[zZ]$/.test(zone) ? 'Z' : `${/^[+-]/.test(zone) ? '' : '+'}${zone.replace(/:?(\d{2})$/, ':$1')}`;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`);
  if (Number.isNaN(date.getTime())) return null;
  // The parser of the language takes 30 February for 2 March.
  const inMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= inMonth ? date : null;
}
