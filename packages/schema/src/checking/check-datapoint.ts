import { NUMBER_FORMATS } from '../formats/number-format';
import { findFormulaProblem } from '../formula/program';
import { isObject, type JsonObject, NOT_A_STRING, NOT_NULL, notAList, notAnObject, ownValue, REQUIRED } from '../json';
import { findRegexpProblem } from '../regexp';
import type { DatapointType } from '../schema-content';
import {
  type Check,
  checkAttributes,
  isBoolean,
  isIntegerFrom,
  isListOfTexts,
  isNumberBetween,
  isObjectOf,
  isOneOf,
  isText,
  isTextUpTo,
  notBlank,
  nullable,
  optional,
  required,
} from './attributes';
import { checkItems, ErrorCollector } from './error-collector';
import type { FieldErrors } from './field-errors';
import type { Place } from './place';

const TYPES: readonly DatapointType[] = ['string', 'number', 'date', 'enum', 'button'];
const UI_TYPES = ['captured', 'data', 'manual', 'formula', 'reasoning', 'lookup'];
const UI_EDITS = ['enabled', 'enabled_without_warning', 'disabled'];
const MAX_FORMULA_LENGTH = 500;
const MAX_DATE_FORMAT_LENGTH = 100;

const isLength = isObjectOf(
  { min: nullable(isIntegerFrom(0)), max: nullable(isIntegerFrom(0)), exact: nullable(isIntegerFrom(0)) },
  ({ min, max }) =>
    typeof min === 'number' && typeof max === 'number' && min > max ? 'min must not be greater than max.' : null,
);

const isRegexp: Check = (value) => (typeof value === 'string' ? findRegexpProblem(value) : NOT_A_STRING);

const isFormulaText: Check = (value) => isTextUpTo(MAX_FORMULA_LENGTH)(value) ?? findFormulaProblem(value as string);

const OF_ALL_TYPES: Readonly<Record<string, Check>> = {
  can_export: nullable(isBoolean),
  can_collapse: nullable(isBoolean),
  rir_field_names: nullable(isListOfTexts),
  default_value: nullable(isText),
  constraints: nullable(
    isObjectOf({
      length: nullable(isLength),
      regexp: nullable(isObjectOf({ pattern: nullable(isRegexp) })),
      required: nullable(isBoolean),
    }),
  ),
  ui_configuration: nullable(isObjectOf({ type: nullable(isOneOf(UI_TYPES)), edit: nullable(isOneOf(UI_EDITS)) })),
  width: nullable(isIntegerFrom(0)),
  stretch: nullable(isBoolean),
  width_chars: nullable(isIntegerFrom(0)),
  score_threshold: nullable(isNumberBetween(0, 1)),
  formula: nullable(isFormulaText),
};

const isAggregations: Check = (value) => {
  if (!isObject(value)) return { non_field_errors: [notAnObject(value)] };
  const unknown = Object.keys(value).find((key) => key !== 'sum');
  if (unknown !== undefined) return `"${unknown}" is not a valid choice.`;
  return isObjectOf({ sum: nullable(isObjectOf({ label: nullable(isText) })) })(value);
};

const BY_TYPE: Readonly<Record<DatapointType, Readonly<Record<string, Check>>>> = {
  string: {},
  number: {
    // Null is a format of its own: no thousands separator.
    format: (value) => (value === undefined ? null : isOneOf(NUMBER_FORMATS)(value)),
    aggregations: nullable(isAggregations),
  },
  date: { format: optional(notBlank(isTextUpTo(MAX_DATE_FORMAT_LENGTH))) },
  enum: { options: required(checkOptions), enum_value_type: nullable(isOneOf(['string', 'number', 'date'])) },
  button: { popup_url: nullable(isText), can_obtain_token: nullable(isBoolean) },
};

/** Checks the attributes of a datapoint beyond those that all nodes have (API: schemas.md sections 2 to 5). */
export function checkDatapoint(errors: ErrorCollector, node: JsonObject, place: Place): void {
  checkAttributes(errors, node, { type: required(isOneOf(TYPES)), ...OF_ALL_TYPES });
  if (!errors.has('type')) {
    const type = node.type as DatapointType;
    checkAttributes(errors, node, BY_TYPE[type]);
    if (type === 'button' && place === 'multivalue') errors.add('type', 'A button may not be a child of a multivalue.');
    if (type === 'number' && place !== 'tuple' && isObject(ownValue(node, 'aggregations'))) {
      errors.add('aggregations', 'Only a datapoint of a tuple may have aggregations.');
    }
  }
  if (isFormulaField(node)) checkFormulaField(errors, node);
}

function isFormulaField(node: JsonObject): boolean {
  const ui = ownValue(node, 'ui_configuration');
  return isObject(ui) && ownValue(ui, 'type') === 'formula';
}

/** There is a formula, and nothing else gives the first value. */
function checkFormulaField(errors: ErrorCollector, node: JsonObject): void {
  const formula = ownValue(node, 'formula');
  if (formula === undefined) errors.add('formula', REQUIRED);
  if (formula === null) errors.add('formula', NOT_NULL);
  const names = ownValue(node, 'rir_field_names');
  if (Array.isArray(names) && names.length > 0) {
    errors.add('rir_field_names', 'A formula field may not have rir_field_names.');
  }
}

function checkOptions(options: unknown): string | FieldErrors[] | null {
  if (!Array.isArray(options)) return notAList(options);
  const seen = new Set<string>();
  return checkItems(options, (option) => {
    if (!isObject(option)) return { non_field_errors: [notAnObject(option)] };
    const errors = new ErrorCollector();
    checkAttributes(errors, option, { value: required(isText), label: required(isText) });
    if (typeof option.value === 'string') {
      if (seen.has(option.value)) errors.add('value', `Option values must be unique: ${option.value}`);
      seen.add(option.value);
    }
    return errors.finish();
  });
}
