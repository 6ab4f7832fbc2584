import { isObject, type JsonObject, NOT_NULL, notAChoice, notAList, notAnObject, ownValue, REQUIRED } from '../json';
import type { NodeCategory } from '../schema-content';
import {
  type Check,
  checkAttributes,
  isBoolean,
  isIntegerFrom,
  isListOfTexts,
  isObjectOf,
  isText,
  isTextUpTo,
  notBlank,
  nullable,
  required,
} from './attributes';
import { checkDatapoint } from './check-datapoint';
import { checkItems, ErrorCollector } from './error-collector';
import type { FieldErrors } from './field-errors';
import type { Place } from './place';

const MAX_ID_LENGTH = 50;
const CATEGORIES: readonly NodeCategory[] = ['section', 'multivalue', 'tuple', 'datapoint'];

/** What may stand at a place; the text names the places as the API does. */
const ALLOWED: Readonly<Record<Place, { categories: readonly NodeCategory[]; error: string }>> = {
  schema: { categories: ['section'], error: 'Schema may contain only section objects.' },
  section: {
    categories: ['multivalue', 'datapoint'],
    error: 'Section may contain only multivalue or datapoint objects.',
  },
  multivalue: { categories: ['tuple', 'datapoint'], error: 'Multivalue may contain only tuple or datapoint objects.' },
  tuple: { categories: ['datapoint'], error: 'Tuple may contain only datapoint objects.' },
};

const COMMON: Readonly<Record<string, Check>> = {
  id: required(notBlank(isTextUpTo(MAX_ID_LENGTH))),
  label: required(isText),
  hidden: nullable(isBoolean),
  disable_prediction: nullable(isBoolean),
  description: nullable(isText),
};

const isGrid = isObjectOf(
  {
    row_types: required(isListOfTexts),
    default_row_type: required(isText),
    row_types_to_extract: required(isListOfTexts),
  },
  (grid) => {
    const rowTypes = grid.row_types as string[];
    const used = [grid.default_row_type as string, ...(grid.row_types_to_extract as string[])];
    const unknown = used.find((rowType) => !rowTypes.includes(rowType));
    return unknown === undefined ? null : `Row type "${unknown}" is not in row_types.`;
  },
);

const OF_MULTIVALUE: Readonly<Record<string, Check>> = {
  min_occurrences: nullable(isIntegerFrom(0)),
  max_occurrences: nullable(isIntegerFrom(1)),
  grid: nullable(isGrid),
  show_grid_by_default: nullable(isBoolean),
  rir_field_names: nullable(isListOfTexts),
};

/**
 * Checks the content of a schema (API: schemas.md sections 2 to 6). Attributes that the language does not know are let
 * through; so are those nulls that {@link cleanSchemaContent} leaves out.
 *
 * @param options.allowEmpty accepts `[]`, a schema that is not set up yet; default false
 * @returns null when nothing is wrong, else `{content: ...}` as the 400 answer carries it
 */
export function checkSchemaContent(content: unknown, options: { allowEmpty?: boolean } = {}): FieldErrors | null {
  if (content === undefined) return { content: [REQUIRED] };
  if (content === null) return { content: [NOT_NULL] };
  if (!Array.isArray(content)) return { content: [notAList(content)] };
  if (content.length === 0) return options.allowEmpty ? null : { content: ['At least one section is required.'] };
  const errors = checkItems(content, nodeChecker(findDuplicates(content)));
  return errors && { content: errors };
}

type CheckNode = (node: unknown) => FieldErrors | null;

/** @param duplicates the first nodes that repeat an id */
function nodeChecker(duplicates: ReadonlySet<unknown>): CheckNode {
  const checkNode = (node: unknown, place: Place): FieldErrors | null => {
    if (!isObject(node)) return { non_field_errors: [notAnObject(node)] };
    const errors = new ErrorCollector();
    checkAttributes(errors, node, COMMON);
    if (duplicates.has(node)) errors.add('non_field_errors', `Schema ids must be unique: ${String(node.id)}`);
    errors.add('category', checkCategory(ownValue(node, 'category'), place));
    if (!errors.has('category')) checkByCategory(errors, node, place);
    return errors.finish();
  };

  const checkByCategory = (errors: ErrorCollector, node: JsonObject, place: Place): void => {
    switch (node.category as NodeCategory) {
      case 'section':
        checkAttributes(errors, node, { icon: nullable(isText), children: required(listOf('section')) });
        break;
      case 'multivalue':
        checkMultivalue(errors, node);
        break;
      case 'tuple':
        checkAttributes(errors, node, {
          rir_field_names: nullable(isListOfTexts),
          children: required(listOf('tuple')),
        });
        break;
      case 'datapoint':
        checkDatapoint(errors, node, place);
    }
  };

  const checkMultivalue = (errors: ErrorCollector, node: JsonObject): void => {
    checkAttributes(errors, node, {
      ...OF_MULTIVALUE,
      children: required((item) => {
        return isObject(item) ? checkNode(item, 'multivalue') : 'Expected one tuple or datapoint object.';
      }),
    });
    const { min_occurrences: min, max_occurrences: max, rir_field_names: names, children } = node;
    if (typeof min === 'number' && typeof max === 'number' && min > max && !errors.has('max_occurrences')) {
      errors.add('max_occurrences', `Ensure this value is greater than or equal to ${min}.`);
    }
    if (isObject(children) && children.category === 'datapoint' && Array.isArray(names) && names.length > 0) {
      errors.add('rir_field_names', 'Only a multivalue of tuples takes rir_field_names; set them on the datapoint.');
    }
  };

  const listOf = (place: Place): Check => {
    return (children) =>
      Array.isArray(children) ? checkItems(children, (child) => checkNode(child, place)) : notAList(children);
  };

  return (node) => checkNode(node, 'schema');
}

function checkCategory(category: unknown, place: Place): string | null {
  if (category === undefined) return REQUIRED;
  if (category === null) return NOT_NULL;
  if (!CATEGORIES.includes(category as NodeCategory)) return notAChoice(category);
  return ALLOWED[place].categories.includes(category as NodeCategory) ? null : ALLOWED[place].error;
}

/** For each id that occurs more than once, the first node that repeats it. */
function findDuplicates(content: readonly unknown[]): Set<unknown> {
  const seen = new Set<string>();
  const reported = new Set<string>();
  const duplicates = new Set<unknown>();
  const visit = (node: unknown, depth: number): void => {
    if (!isObject(node)) return;
    if (typeof node.id === 'string') {
      if (seen.has(node.id) && !reported.has(node.id)) {
        reported.add(node.id);
        duplicates.add(node);
      }
      seen.add(node.id);
    }
    // Below a tuple's datapoints nothing belongs to the schema.
    const children = depth < CATEGORIES.length - 1 ? node.children : undefined;
    for (const child of Array.isArray(children) ? children : [children]) visit(child, depth + 1);
  };
  for (const section of content) visit(section, 0);
  return duplicates;
}
