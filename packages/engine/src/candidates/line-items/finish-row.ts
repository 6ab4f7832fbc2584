import { type PageLayout, unite } from '../../layout/page-layout';
import type { FieldCandidate, Position, TableRow } from '../../recognition';
import { type DecimalMark, mendPercent, parseNumber } from '../numbers';
import { type DraftRow, isExact, makesTax, productHolds, restorePoints } from './cells';
import { findCode } from './joined-cells';

/** A row as the engine tells it: what shares a cell told apart, OCR's mistakes put right by arithmetic, confidences. */
export function finishRow(page: PageLayout, { cells, text, lines }: DraftRow, mark: DecimalMark): TableRow {
  const quantity = cells.get('quantity');
  const rate = cells.get('rate');
  const percent = page.source === 'ocr' && rate && Number(rate.value) > 30 ? mendPercent(rate.raw) : undefined;
  const mended = percent && (isExact(cells) || makesTax(cells, percent)) ? percent : undefined;
  if (rate && mended) cells.set('rate', { ...rate, value: mended });
  // A column headed "VAT" may hold amounts of tax.
  else if (rate && !cells.has('tax') && !/%/.test(rate.raw) && Number(rate.value) > 30) {
    cells.set('tax', rate);
    cells.delete('rate');
  }
  // Quantity and unit are one word, or stand under one heading.
  const glued = /^(\d[\d.,]*)\s?(\p{L}.*)$/u.exec(cells.get('uom')?.value ?? '');
  if (glued && !quantity) {
    const cell = cells.get('uom')!;
    const value = parseNumber(glued[1]!, mark);
    if (value !== undefined) cells.set('quantity', { ...cell, value });
    cells.set('uom', { ...cell, value: glued[2]! });
  }
  if (quantity?.extra && !cells.has('uom'))
    cells.set('uom', { ...quantity, value: quantity.extra, raw: quantity.extra });
  const own = cells.has('code') ? undefined : findCode(text);
  if (own) cells.set('code', own);
  text = own ? text.filter((tokens) => !tokens.includes(own.tokens[0]!)) : text;
  const description = text.flat();
  if (description.length > 0) {
    const words = text.map((tokens) => tokens.map((token) => token.text).join(' ')).join(' ');
    cells.set('description', { tokens: description, value: words, raw: words });
  }
  if (page.source === 'ocr') restorePoints(cells);
  cells.delete('position');
  cells.delete('other');
  cells.delete('unknown');
  const confidence = 0.62 + 0.33 * productHolds(cells);
  const out: Record<string, FieldCandidate> = {};
  for (const [meaning, cell] of cells) {
    const box: Position = unite(cell.tokens.map((token) => token.box));
    const unsure = cell.tokens.reduce((sum, token) => sum + token.confidence, 0) / cell.tokens.length;
    out[`table_column_${meaning}`] = {
      value: cell.value.trim(),
      rawText: cell.raw,
      page: page.number,
      position: box,
      confidence: Math.round(confidence * Math.min(1, unsure + 0.1) * 1000) / 1000,
    };
  }
  return { type: 'data', cells: out, page: page.number, position: unite(lines.map((line) => line.box)) };
}
