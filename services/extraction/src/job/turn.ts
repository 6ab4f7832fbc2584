import type { FieldCandidate, Position, Recognition, RecognizedPage } from '@intake/engine';

/**
 * What was read, with positions on pages that are shown turned clockwise (API: pages.md). The sizes of the pages stay those
 * before the turn.
 *
 * @param degrees 0, 90, 180 or 270
 */
export function turn(recognition: Recognition, degrees: number): Recognition {
  if (degrees === 0) return recognition;
  const sizes = new Map(recognition.pages.map((page) => [page.number, page]));
  const place = <P extends Position | null>(number: number, position: P): P => {
    const page = sizes.get(number);
    return position && page ? (turnBox(position, page, degrees) as P) : position;
  };
  const candidate = <C extends FieldCandidate>(one: C): C => ({ ...one, position: place(one.page, one.position) });
  const mapValues = <A, B>(values: Record<string, A>, to: (value: A) => B): Record<string, B> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, to(value)]));
  return {
    ...recognition,
    pages: recognition.pages.map((page) => ({
      ...page,
      words: page.words.map((word) => ({ ...word, position: place(page.number, word.position) })),
    })),
    fields: mapValues(recognition.fields, (candidates) => candidates.map(candidate)),
    tables: mapValues(recognition.tables, (rows) =>
      rows?.map((row) => ({
        ...row,
        position: place(row.page, row.position),
        cells: mapValues(row.cells, candidate),
      })),
    ),
  };
}

function turnBox(
  [left, top, right, bottom]: Position,
  { width, height }: Pick<RecognizedPage, 'width' | 'height'>,
  degrees: number,
): Position {
  if (degrees === 90) return [height - bottom, left, height - top, right];
  if (degrees === 180) return [width - right, height - bottom, width - left, height - top];
  return [top, width - right, bottom, width - left];
}
