/**
 * Errors of one object by attribute, as a 400 answer carries them: texts of an attribute, errors of an object inside,
 * or of a list of objects, which then is as long as the list and has `{}` for what is right
 * (API: README.md section 8, schemas.md section 6).
 */
export interface FieldErrors {
  [attribute: string]: string[] | FieldErrors | FieldErrors[];
}
