import { addTexts } from '../formats/decimal';
import { normalizeDecimal } from '../formats/number-format';
import type { SchemaContent } from '../schema-content';
import { schemaIndex } from '../schema-index';
import type { ContentNode } from './content-node';
import { groupByParent } from './content-tree';
import type { ContentMessage } from './message';

const DEFAULT_LABEL = 'Sum';

/**
 * Exact sums of the columns that ask for one, one message per column and table (API: annotation-content.md section 6).
 * A sum has the decimals of the value with most; values that are no numbers are skipped, and without any the sum is `0`.
 */
export function aggregateContent(schema: SchemaContent, nodes: readonly ContentNode[]): ContentMessage[] {
  const index = schemaIndex(schema);
  const children = groupByParent(nodes);
  const tables = nodes.filter((node) => node.category === 'multivalue');
  return tables.flatMap((table) => {
    const schemaNode = index.nodes.get(table.schemaId);
    if (schemaNode?.category !== 'multivalue' || schemaNode.children.category !== 'tuple') return [];
    const columns = schemaNode.children.children.filter((column) => column.aggregations?.sum);
    if (columns.length === 0) return [];
    const texts = new Map<string, string[]>(columns.map(({ id }) => [id, []]));
    for (const row of children.get(table.id) ?? []) {
      for (const { schemaId, content } of children.get(row.id) ?? []) {
        const number = normalizeDecimal(content?.normalizedValue ?? '');
        if (number !== null) texts.get(schemaId)?.push(number);
      }
    }
    return columns.map(
      (column): ContentMessage => ({
        id: String(table.id),
        type: 'aggregation',
        content: addTexts(texts.get(column.id) ?? []),
        aggregationType: 'sum',
        schemaId: column.id,
        label: column.aggregations?.sum?.label ?? DEFAULT_LABEL,
      }),
    );
  });
}
