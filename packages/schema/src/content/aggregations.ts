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
    const cells = (children.get(table.id) ?? []).flatMap((row) => children.get(row.id) ?? []);
    return schemaNode.children.children
      .filter((column) => column.aggregations?.sum)
      .map(
        (column): ContentMessage => ({
          id: String(table.id),
          type: 'aggregation',
          content: sumOf(cells.filter((cell) => cell.schemaId === column.id)),
          aggregationType: 'sum',
          schemaId: column.id,
          label: column.aggregations?.sum?.label ?? DEFAULT_LABEL,
        }),
      );
  });
}

function sumOf(cells: readonly ContentNode[]): string {
  return addTexts(cells.flatMap((cell) => normalizeDecimal(cell.content?.normalizedValue ?? '') ?? []));
}
