import { readPrinted } from '../formats/printed-value';
import type { Datapoint, SchemaContent } from '../schema-content';
import { schemaIndex } from '../schema-index';
import type { ContentResult } from './content-change';
import { type Box, type ContentNode, MAX_VALUE_LENGTH } from './content-node';
import { Draft } from './draft';
import { notFound } from './node-id';
import { type WriteRules, writeNode } from './write-node';

/** What a person marked on a page. */
export interface Selection {
  /** The text inside. */
  readonly text: string;
  readonly page: number;
  readonly position: Box;
  /** Of the queue: how its documents write dates. */
  readonly locale?: string;
}

/**
 * Takes marked text as the value of a datapoint (API: annotation-content.md section 4, `select`); it counts as validated by a
 * person.
 *
 * @returns the change, or `{errors: {id: [...]}}` where there is no such datapoint
 */
export function selectText(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  id: number,
  { text, page, position, locale }: Selection,
): ContentResult {
  const draft = new Draft(nodes, schemaIndex(schema));
  const node = draft.find(id);
  if (!node) return { errors: { id: [notFound(id)] } };
  const schemaNode = draft.schemaOf(node);
  if (schemaNode?.category !== 'datapoint' || !node.content) {
    return { errors: { id: ['Only a datapoint takes the text of a page.'] } };
  }
  const written = takeText(
    node,
    schemaNode,
    { text, page, position, locale },
    {
      defaultSources: () => ['human'],
      normalizedValue: 'ignore',
      source: 'user',
    },
  );
  if (written.errors) return { errors: written.errors };
  draft.replace(written.node);
  return draft.finish();
}

/** Text of a page that becomes a value; of an empty cell there is neither page nor position. */
export interface TakenText extends Omit<Selection, 'page' | 'position'> {
  readonly page: number | null;
  readonly position: Box | null;
}

/** A datapoint with text of a page as its value, read as documents print it; what was taken is kept beside it. */
export function takeText(
  node: ContentNode,
  datapoint: Datapoint,
  { text, page, position, locale }: TakenText,
  rules: WriteRules,
): ReturnType<typeof writeNode> {
  const value = [...text].slice(0, MAX_VALUE_LENGTH).join('');
  const printed = readPrinted(datapoint, text, locale);
  const read = printed === null ? { value } : { normalizedValue: printed };
  const given = { content: { ...read, page, position: position && [...position] } };
  const written = writeNode(node, datapoint, given, rules);
  const content = written.errors ? null : written.node.content;
  if (written.errors || !content) return written;
  const ocr = { ocrText: content.value, ocrRawText: value, ocrPosition: position && [...position] };
  return { node: { ...written.node, content: { ...content, ...ocr } } };
}
