import type { Gray } from './skew';

/** Side of the squares in which the paper is measured: light falls unevenly on photos. */
export const TILE = 64;

export interface Paper {
  across: number;
  levels: Uint8Array;
}

/** How light the paper is in each tile: what nine tenths of its pixels do not exceed. */
export function measurePaper({ data, width, height }: Gray): Paper {
  const across = Math.ceil(width / TILE);
  const down = Math.ceil(height / TILE);
  const levels = new Uint8Array(across * down);
  const counts = new Uint32Array(256);
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      counts.fill(0);
      const bottom = Math.min(height, (row + 1) * TILE);
      const right = Math.min(width, (column + 1) * TILE);
      let pixels = 0;
      for (let y = row * TILE; y < bottom; y += 2) {
        for (let x = column * TILE; x < right; x += 2) {
          counts[data[y * width + x]!]!++;
          pixels++;
        }
      }
      let level = 255;
      for (let above = counts[255]!; level > 0 && above < pixels / 10; above += counts[level]!) level--;
      levels[row * across + column] = level;
    }
  }
  return { across, levels };
}

/** How light the paper is at a pixel. */
export const levelAt = ({ across, levels }: Paper, x: number, y: number): number =>
  levels[Math.floor(y / TILE) * across + Math.floor(x / TILE)]!;
