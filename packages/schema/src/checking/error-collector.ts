import type { FieldErrors } from './field-errors';

type NestedErrors = string[] | FieldErrors | FieldErrors[];

/** Collects the errors of one object by attribute. */
export class ErrorCollector {
  private readonly errors: FieldErrors = {};

  /** Adds texts to an attribute, or the errors of what is inside it. Null and an empty list say that nothing is wrong. */
  add(attribute: string, errors: string | NestedErrors | null): void {
    if (errors === null || (Array.isArray(errors) && errors.length === 0)) return;
    const given = typeof errors === 'string' ? [errors] : errors;
    const before = this.errors[attribute];
    this.errors[attribute] = isTexts(before) && isTexts(given) ? [...before, ...given] : given;
  }

  has(attribute: string): boolean {
    return this.errors[attribute] !== undefined;
  }

  /** Null when nothing is wrong. */
  finish(): FieldErrors | null {
    return Object.keys(this.errors).length > 0 ? this.errors : null;
  }
}

/** Errors of each item of a list, as long as the list, `{}` for what is right; null when nothing is wrong. */
export function checkItems<T>(
  items: readonly T[],
  check: (item: T, at: number) => FieldErrors | null,
): FieldErrors[] | null {
  const errors = items.map(check);
  return errors.some((error) => error !== null) ? errors.map((error) => error ?? {}) : null;
}

function isTexts(errors: NestedErrors | undefined): errors is string[] {
  return Array.isArray(errors) && errors.every((error) => typeof error === 'string');
}
