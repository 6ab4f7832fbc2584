import type { annotation } from '@intake/contracts';
import { readNodes } from '@intake/resources';
import type { Caller } from '@intake/rpc';
import type { Services } from '../services';

const CONTENT_VALUE = 'annotation.content.value.';

/** What the placeholders `annotation.content.value.<schema_id>` among these stand for, over all annotations. */
export async function readContentValues(
  { annotation: annotations }: Pick<Services, 'annotation'>,
  rows: readonly Pick<annotation.Annotation, 'id'>[],
  placeholders: readonly string[],
  caller: Caller,
): Promise<[string, string][]> {
  const names = placeholders.filter((name) => name.startsWith(CONTENT_VALUE));
  if (rows.length === 0 || names.length === 0) return [];
  const schemaIds = names.map((name) => name.slice(CONTENT_VALUE.length));
  const { contents } = await annotations.getContents({ annotationIds: rows.map(({ id }) => id), schemaIds }, caller);
  const trees = rows.map(({ id }) => readNodes(contents.find((one) => one.annotationId === id)?.treeJson ?? ''));
  return names.map((name, i) => {
    const values = trees
      .flat()
      .filter(({ schema_id: id }) => id === schemaIds[i])
      .map((node) => (node as { content?: { value?: string | null } }).content?.value ?? '');
    return [name, values.filter((value) => value !== '').join(', ')];
  });
}
