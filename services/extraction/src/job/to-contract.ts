import { extraction } from '@intake/contracts';
import type { FieldCandidate, Recognition } from '@intake/engine';

/** What the engine found, as it travels to other services. */
export function toContract(recognition: Recognition): extraction.ExtractionResult {
  const { fields, tables, pages, language, eInvoice, engineVersion } = recognition;
  return extraction.ExtractionResult.fromPartial({
    engineVersion,
    language: language ?? '',
    ...(eInvoice && {
      eInvoice: {
        syntax: eInvoice.syntax,
        printed: eInvoice.printed,
        contradictions: eInvoice.contradictions.map(({ message }) => message),
      },
    }),
    pages: pages.map(({ number, width, height }) => ({ number, width, height, rotationDeg: 0 })),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, candidates]) => [name, { candidates: candidates.map(toCandidate) }]),
    ),
    tables: Object.entries(tables).map(([name, rows]) => ({
      name,
      rows: (rows ?? []).map(({ type, cells, page, position }) => ({
        type,
        page,
        position: [...(position ?? [])],
        cells: Object.fromEntries(Object.entries(cells).map(([column, cell]) => [column, toCandidate(cell)])),
      })),
    })),
  });
}

function toCandidate({ value, rawText, page, position, confidence }: FieldCandidate): extraction.Candidate {
  return { value, rawText, page, position: [...(position ?? [])], confidence };
}
