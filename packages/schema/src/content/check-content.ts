import { compileRegexp } from '../regexp';
import type { Constraints, Datapoint, EnumOption, SchemaContent } from '../schema-content';
import { schemaIndex } from '../schema-index';
import type { ContentNode, DatapointContent } from './content-node';
import { groupByParent } from './content-tree';
import type { ContentMessage } from './message';

/**
 * The standard checks: types, constraints and number of rows (API: annotation-content.md section 6, schemas.md
 * section 4). Messages stand in the order of the tree.
 *
 * @param options.skipHidden leaves out messages of nodes that are hidden or lie in hidden ones; default false
 */
export function checkContent(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  options: { skipHidden?: boolean } = {},
): ContentMessage[] {
  const index = schemaIndex(schema);
  const children = groupByParent(nodes);
  const messages: ContentMessage[] = [];

  const visit = (node: ContentNode) => {
    if (options.skipHidden && node.hidden) return;
    const below = children.get(node.id) ?? [];
    const schemaNode = index.nodes.get(node.schemaId);
    if (schemaNode?.category === 'datapoint' && node.content) {
      for (const text of checkDatapoint(schemaNode, node.content, node.options))
        messages.push(message(node, 'error', text));
    } else if (schemaNode?.category === 'multivalue' && below.length < (schemaNode.min_occurrences ?? 0)) {
      messages.push(message(node, 'warning', `at least ${schemaNode.min_occurrences} rows expected`));
    }
    below.forEach(visit);
  };
  (children.get(null) ?? []).forEach(visit);
  return messages;
}

/** Texts of what is wrong with a value; only `required` is checked where there is none. */
function checkDatapoint(
  datapoint: Datapoint,
  content: DatapointContent,
  changedOptions?: readonly EnumOption[],
): string[] {
  const constraints = datapoint.constraints ?? {};
  if (content.value === '') return (constraints.required ?? true) ? ['required'] : [];
  return [
    ...checkType(datapoint, content, changedOptions),
    ...checkLength(constraints, content.value),
    ...checkPattern(constraints, content.value),
  ];
}

function checkType(datapoint: Datapoint, content: DatapointContent, changedOptions?: readonly EnumOption[]): string[] {
  switch (datapoint.type) {
    case 'number':
      return content.normalizedValue === null ? ['not a number'] : [];
    case 'date':
      return content.normalizedValue === null ? ['not a date'] : [];
    case 'enum': {
      const options = changedOptions ?? datapoint.options ?? [];
      return options.some((option) => option.value === content.value) ? [] : ['not one of the options'];
    }
    default:
      return [];
  }
}

function checkLength({ length }: Constraints, value: string): string[] {
  if (!length) return [];
  const count = [...value].length;
  const wrong: string[] = [];
  if (isNumber(length.min) && count < length.min) wrong.push(`shorter than ${length.min} characters`);
  if (isNumber(length.max) && count > length.max) wrong.push(`longer than ${length.max} characters`);
  if (isNumber(length.exact) && count !== length.exact) wrong.push(`not exactly ${length.exact} characters long`);
  return wrong;
}

function checkPattern({ regexp }: Constraints, value: string): string[] {
  if (!regexp?.pattern) return [];
  return compileRegexp(regexp.pattern).test(value) ? [] : ['does not match the pattern'];
}

function isNumber(limit: number | null | undefined): limit is number {
  return typeof limit === 'number';
}

function message(node: ContentNode, type: 'error' | 'warning', content: string): ContentMessage {
  return { id: String(node.id), type, content };
}
