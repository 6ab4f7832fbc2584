import type { Gray } from './skew';

/** Share of the page's letters that the strip holds: enough to tell the language, little to read. */
const SHARE = 0.12;
/** Steps of gray between neighbouring pixels that are the edge of a letter. */
const EDGE = 60;
/** White over and under the strip, in pixels. */
const MARGIN = 20;

/**
 * A strip across a page: the narrowest one that holds a good part of its letters in the upper half of its text. Rows of a table
 * are most of the lower half of some pages, and have few words of a language. Undefined on an empty page.
 */
export function findDensestStrip({ data, width, height }: Gray): Gray | undefined {
  const edges = countEdges({ data, width, height });
  const sum = edges.reduce((all, count) => all + count, 0);
  if (sum === 0) return undefined;
  let middle = 0;
  for (let above = 0; above < sum / 2; middle++) above += edges[middle]!;
  const [top, bottom] = narrowest(edges, middle, SHARE * sum);
  const strip = data.subarray(Math.max(0, top - MARGIN) * width, Math.min(height, bottom + MARGIN) * width);
  return { data: strip, width, height: strip.length / width };
}

/** The fewest rows above `bottom` that have as many edges as wanted together. */
function narrowest(edges: Uint32Array, bottom: number, wanted: number): [number, number] {
  let best: [number, number] = [0, bottom];
  for (let from = 0, to = 0, inside = 0; to < bottom; to++) {
    inside += edges[to]!;
    while (from < to && inside - edges[from]! >= wanted) inside -= edges[from++]!;
    if (inside >= wanted && to + 1 - from < best[1] - best[0]) best = [from, to + 1];
  }
  return best;
}

/** Number of edges in each row: letters have many, pictures and rules few. */
function countEdges({ data, width, height }: Gray): Uint32Array {
  const edges = new Uint32Array(height);
  for (let y = 0; y < height; y++) {
    for (let at = y * width + 2; at < (y + 1) * width; at += 2) {
      if (Math.abs(data[at]! - data[at - 2]!) > EDGE) edges[y]!++;
    }
  }
  return edges;
}
