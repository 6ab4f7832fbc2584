import type { Gray } from './skew';

/** Bands that are put together, and share of the page's letters that each holds: enough to tell the language, little to read. */
const BANDS = 3;
const SHARE = 0.03;
/** Steps of gray between neighbouring pixels that are the edge of a letter. */
const EDGE = 60;
/** In so many pixels of a row letters have at most so many edges; a picture in dots, or grain, has more. */
const PIECE = 64;
const MOST_EDGES = 16;
/** White over and under a band, in pixels. */
const MARGIN = 20;

/**
 * The rows of a page on which letters stand most closely, as one picture: the narrowest bands that each hold a part of its
 * letters. Long lines have words of a language; several of them, because one may be a row of a table or a letterhead. Undefined
 * on an empty page.
 */
export function findDensestStrip({ data, width, height }: Gray): Gray | undefined {
  const edges = countEdges({ data, width, height });
  const wanted = SHARE * edges.reduce((all, count) => all + count, 0);
  if (wanted === 0) return undefined;
  const isInside = new Uint8Array(height);
  for (let band = 0; band < BANDS; band++) {
    const rows = narrowest(edges, wanted);
    if (!rows) break;
    const [top, bottom] = [Math.max(0, rows[0] - MARGIN), rows[1] + MARGIN];
    isInside.fill(1, top, bottom);
    edges.fill(0, top, bottom);
  }
  const rows = [...isInside.keys()].filter((y) => isInside[y]);
  const strip = Buffer.concat(rows.map((y) => data.subarray(y * width, (y + 1) * width)));
  return { data: strip, width, height: rows.length };
}

/** The fewest rows that have as many edges as wanted together; undefined when all have fewer. */
function narrowest(edges: Uint32Array, wanted: number): [number, number] | undefined {
  let best: [number, number] | undefined;
  for (let from = 0, to = 0, inside = 0; to < edges.length; to++) {
    inside += edges[to]!;
    while (from < to && inside - edges[from]! >= wanted) inside -= edges[from++]!;
    if (inside >= wanted && (!best || to + 1 - from < best[1] - best[0])) best = [from, to + 1];
  }
  return best;
}

/** Number of edges of letters in each row. */
function countEdges({ data, width, height }: Gray): Uint32Array {
  const edges = new Uint32Array(height);
  for (let y = 0; y < height; y++) {
    for (let left = y * width; left < (y + 1) * width; left += PIECE) {
      let count = 0;
      for (let at = left + 2; at < Math.min(left + PIECE, (y + 1) * width); at += 2)
        if (Math.abs(data[at]! - data[at - 2]!) > EDGE) count++;
      if (count <= MOST_EDGES) edges[y]! += count;
    }
  }
  return edges;
}
