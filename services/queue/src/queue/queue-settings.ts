import type { JsonObject } from '../fields';

type Check = (value: unknown) => string | null;

const isBoolean: Check = (value) => (typeof value === 'boolean' ? null : 'must be a valid boolean.');
const isList: Check = (value) => (Array.isArray(value) ? null : 'expected a list of items.');
const isObject: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'expected a dictionary of items.';
const isOneOf =
  (...choices: readonly string[]): Check =>
  (value) =>
    choices.includes(value as string) ? null : `"${String(value)}" is not a valid choice.`;
/** An object in which some keys, where they are given, have values of a kind; other keys are free. */
const isObjectOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    const problem = isObject(value);
    if (problem) return problem;
    const given = value as JsonObject;
    for (const [key, check] of Object.entries(checks)) {
      const inside = Object.hasOwn(given, key) ? check(given[key]) : null;
      if (inside) return `${key}: ${inside}`;
    }
    return null;
  };
const isNullOr =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value);
const isEmail: Check = (value) =>
  typeof value === 'string' && (value === '' || /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value))
    ? null
    : 'Enter a valid email address.';

const isTexts: Check = (value) =>
  isList(value) ?? ((value as unknown[]).every((one) => typeof one === 'string') ? null : 'expected a list of texts.');
const isCount: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? null : 'expected an integer greater than 0.';

const isMimeTypes: Check = (value) => {
  const problem = isList(value);
  if (problem) return problem;
  const wrong = (value as unknown[]).find(
    (type) => typeof type !== 'string' || !/^[^/\s*]+\/([^/\s*]+|\*)$/.test(type),
  );
  return wrong === undefined ? null : `"${String(wrong)}" is not a valid MIME type.`;
};

const isSeparatorTexts: Check = (value) => {
  const problem = isList(value);
  if (problem) return problem;
  const isText = (text: unknown) => typeof text === 'string' && text === text.trim() && /^.{1,100}$/.test(text);
  return (value as unknown[]).every(isText) ? null : 'expected texts of 1 to 100 characters.';
};

/** Known settings; all others are stored as they are. API: workspaces-queues.md section 3. */
const CHECKS: Readonly<Record<string, Check>> = {
  accepted_mime_types: isMimeTypes,
  columns: isList,
  annotation_list_table: isObject,
  hide_export_button: isBoolean,
  autopilot: isNullOr(
    isObjectOf({
      enabled: isBoolean,
      search_history: isNullOr(
        isObjectOf({ rir_field_names: isNullOr(isTexts), matching_fields_threshold: isNullOr(isCount) }),
      ),
      automate_fields: isNullOr(
        isObjectOf({ rir_field_names: isNullOr(isTexts), field_repeated_min: isNullOr(isCount) }),
      ),
    }),
  ),
  automation: isObjectOf({ automate_duplicates: isBoolean, automate_suggested_edit: isBoolean }),
  rejection_config: isObjectOf({ enabled: isBoolean }),
  suggested_recipients_sources: isList,
  suggested_edit: isOneOf('suggest', 'disable'),
  dashboard_customization: isObject,
  email_notifications: isObjectOf({
    recipient: isNullOr(isObjectOf({ email: isNullOr(isEmail) })),
    unprocessable_attachments: isBoolean,
    postponed_annotations: isBoolean,
    deleted_annotations: isBoolean,
    email_with_no_attachments: isBoolean,
  }),
  separator_qr_codes: isSeparatorTexts,
  workflows: isObjectOf({ enabled: isBoolean, bypass_workflows_allowed: isBoolean }),
  upload_values: isList,
  ui_upload_enabled: isBoolean,
  ui_validation_screen_enabled: isBoolean,
  ui_edit_values: isList,
};

/** Settings after a change: merged by their first level. `asynchronous_export` is deprecated and always true. */
export function mergeSettings(before: JsonObject, change: JsonObject): JsonObject {
  return { ...before, ...change, asynchronous_export: true };
}

/** The message for settings of which one has a wrong value, or null. */
export function findSettingsProblem(settings: JsonObject): string | null {
  for (const [key, check] of Object.entries(CHECKS)) {
    const problem = Object.hasOwn(settings, key) ? check(settings[key]) : null;
    if (problem) return `${key}: ${problem}`;
  }
  return null;
}
