import type { ContentNode } from './content-node';

/** How large the content of an annotation is. */
export interface ContentSize {
  readonly nodes: number;
  /** Of all texts: values, what was read, changed options, grids. */
  readonly characters: number;
}

/** A table of 5,000 rows and 12 columns has 65,000 nodes. With this much, content still fits into one answer of an rpc. */
export const MAX_NODES = 100_000;
export const MAX_CHARACTERS = 20_000_000;

/** Measures nodes. */
export function sizeOf(nodes: readonly ContentNode[]): ContentSize {
  let characters = 0;
  for (const node of nodes) characters += charactersOf(node);
  return { nodes: nodes.length, characters };
}

/** Why content of this size is not taken, in words; null: it is. */
export function findSizeProblem({ nodes, characters }: ContentSize): string | null {
  if (nodes > MAX_NODES) {
    return `The content would have ${nodes} nodes; an annotation holds at most ${MAX_NODES}. Split the document, or remove rows.`;
  }
  if (characters > MAX_CHARACTERS) {
    return `The values would have ${characters} characters together; an annotation holds at most ${MAX_CHARACTERS}. Split the document, or remove rows.`;
  }
  return null;
}

function charactersOf({ content, options, grid, validationSources }: ContentNode): number {
  let count = 0;
  if (content) {
    const { value, normalizedValue, rirText, rirRawText, connectorText, ocrText, ocrRawText } = content;
    count = value.length + lengthOf(normalizedValue) + lengthOf(rirText) + lengthOf(rirRawText);
    count += lengthOf(connectorText) + lengthOf(ocrText) + lengthOf(ocrRawText);
  }
  for (const source of validationSources) count += source.length;
  if (options) count += JSON.stringify(options).length;
  if (grid) count += JSON.stringify(grid).length;
  return count;
}

function lengthOf(text: string | null): number {
  return text === null ? 0 : text.length;
}
