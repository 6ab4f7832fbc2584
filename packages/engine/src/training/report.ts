import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Calibration,
  calibrate,
  type DocumentResult,
  meanOverTemplates,
  type Score,
  scoresByField,
  summarize,
  summarizeBy,
} from './measure';

const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
const three = (value: number) => value.toFixed(3);

/**
 * The report in Markdown.
 *
 * @param withoutSource results of weights that were trained without the source of the document
 * @param results results of the weights of the package; they know the documents if it is the corpus they were trained on
 */
export function writeReport(
  withoutSource: DocumentResult[] | undefined,
  results: DocumentResult[] | undefined,
): string {
  const honest = withoutSource ?? results ?? [];
  const parts = ['# How well documents are read', ''];
  if (withoutSource) {
    parts.push('Each document read with weights that were trained without the documents of its source:', '');
    parts.push(...overview(withoutSource), '');
  }
  if (results) parts.push('With the weights of the package:', '', ...overview(results), '');
  for (const [title, keyOf] of [
    ['Kind', (truth) => truth.kind],
    ['Language', (truth) => truth.language],
    ['Source', (truth) => truth.source],
  ] as [string, (truth: DocumentResult['truth']) => string][]) {
    parts.push(
      `## ${title}`,
      '',
      `| ${title.toLowerCase()} | documents | header F1 | table F1 |`,
      '| --- | ---: | ---: | ---: |',
    );
    for (const [key, summary] of summarizeBy(honest, keyOf)) {
      const tables = summary.tables.wanted > 0 ? three(summary.tables.f1) : '-';
      parts.push(`| ${key} | ${summary.documents} | ${three(summary.header.f1)} | ${tables} |`);
    }
    parts.push('');
  }
  parts.push(
    '## Fields and columns',
    '',
    '| field | precision | recall | F1 | right / predicted / there |',
    '| --- | ---: | ---: | ---: | ---: |',
  );
  for (const [field, score] of scoresByField(honest)) parts.push(fieldRow(field, score));
  parts.push('', '## Confidence', '', ...calibrationOf(calibrate(honest)), '', '![Reliability](reliability.svg)', '');
  return parts.join('\n');
}

function overview(results: DocumentResult[]): string[] {
  const { documents, header, tables } = summarize(results);
  const { error, accepted } = calibrate(results);
  const strict = accepted.find((one) => one.threshold === 0.975)!;
  return [
    `- ${documents} documents: header F1 **${three(header.f1)}**, table F1 **${three(tables.f1)}**, header F1 as a mean over templates ${three(meanOverTemplates(results))}`,
    `- calibration error ${three(error)}; at the threshold 0.975 ${strict.count} values, ${percent(strict.wrong / Math.max(1, strict.count))} of them wrong`,
  ];
}

const fieldRow = (field: string, { precision, recall, f1, right, predicted, wanted }: Score) =>
  `| ${field} | ${three(precision)} | ${three(recall)} | ${three(f1)} | ${right} / ${predicted} / ${wanted} |`;

function calibrationOf({ error, bins, accepted }: Calibration): string[] {
  return [
    `Calibration error ${three(error)}.`,
    '',
    '| confidence | values | right |',
    '| --- | ---: | ---: |',
    ...bins.map(
      ({ from, to, count, right }) =>
        `| ${from.toFixed(1)}-${to.toFixed(1)} | ${count} | ${count > 0 ? percent(right) : '-'} |`,
    ),
    '',
    '| threshold | accepted | wrong |',
    '| --- | ---: | ---: |',
    ...accepted.map(
      ({ threshold, count, wrong }) => `| ${threshold} | ${count} | ${percent(wrong / Math.max(1, count))} |`,
    ),
  ];
}

/** The reliability diagram: for each tenth of confidence, how many of its values are right. */
export function drawReliability({ bins, error }: Calibration): string {
  const [size, left, top] = [400, 60, 30];
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  const x = (value: number) => left + value * size;
  const y = (value: number) => top + size - value * size;
  const bars = bins.flatMap(({ from, count, confidence, right }) => {
    if (count === 0) return [];
    const high = right * size;
    const share = (count / most) * 60;
    return [
      `<rect x="${x(from) + 2}" y="${(y(0) - high).toFixed(1)}" width="${size / 10 - 4}" height="${high.toFixed(1)}" fill="#4a7fb5"/>`,
      `<circle cx="${x(confidence).toFixed(1)}" cy="${y(right).toFixed(1)}" r="4" fill="#1d3c5c"/>`,
      `<rect x="${x(from) + 2}" y="${y(0) + 30}" width="${size / 10 - 4}" height="${share.toFixed(1)}" fill="#bbb"/>`,
      `<text x="${x(from + 0.05)}" y="${y(0) + 104}" text-anchor="middle">${count}</text>`,
    ];
  });
  const marks = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((value) => [
    `<text x="${x(value)}" y="${y(0) + 18}" text-anchor="middle">${value}</text>`,
    `<text x="${left - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size + 100}" height="${size + 160}" font-family="sans-serif" font-size="12">`,
    '<title>Share of right values by confidence</title>',
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="${left}" y="18">Share of right values by confidence (calibration error ${error.toFixed(3)})</text>`,
    `<rect x="${left}" y="${top}" width="${size}" height="${size}" fill="none" stroke="#888"/>`,
    ...bars,
    `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#c33" stroke-dasharray="5 4"/>`,
    ...marks,
    '</svg>',
    '',
  ].join('\n');
}

/** The figures in one line. */
export function summaryLine(results: DocumentResult[]): string {
  const { documents, header, tables } = summarize(results);
  const { error, accepted } = calibrate(results);
  const strict = accepted.find((one) => one.threshold === 0.975)!;
  return [
    `headerF1=${header.f1.toFixed(4)}`,
    `tableF1=${tables.f1.toFixed(4)}`,
    `docs=${documents}`,
    `overTemplates=${meanOverTemplates(results).toFixed(4)}`,
    `calibrationError=${error.toFixed(4)}`,
    `at0.975=${strict.count}, ${percent(strict.wrong / Math.max(1, strict.count))} wrong`,
  ].join(' ');
}

/** Writes report.md, reliability.svg and results.json into a folder. */
export function writeReportFiles(
  folder: string,
  withoutSource: DocumentResult[] | undefined,
  results: DocumentResult[] | undefined,
): void {
  const honest = withoutSource ?? results ?? [];
  writeFileSync(path.join(folder, 'report.md'), writeReport(withoutSource, results));
  writeFileSync(path.join(folder, 'reliability.svg'), drawReliability(calibrate(honest)));
  const list = honest.map(({ truth, wrong, judged }) => ({ file: truth.file, source: truth.source, wrong, judged }));
  writeFileSync(path.join(folder, 'results.json'), `${JSON.stringify(list, null, 1)}\n`);
}
