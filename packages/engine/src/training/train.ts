import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { handSetModel } from '../scoring/model';
import { readArguments } from './arguments';
import { loadCorpus } from './corpus';
import { learn } from './learn';
import { calibrate, measureDocument } from './measure';
import { summaryLine, writeReportFiles } from './report';
import { synthesize } from './synthesize';

/** `npm run train -- --corpus DIR`: learns the weights and writes them into the package. */
async function main(): Promise<void> {
  const { corpus, cache, out } = readArguments('train');
  const documents = await loadCorpus(corpus, cache, (file) => console.error(`read ${file}`));
  const { weights, withoutSource } = learn(documents, synthesize(SYNTHESISED));
  const byHand = documents.map((document) => measureDocument(document, handSetModel));
  console.log(`hand-set weights:       ${summaryLine(byHand)}`);
  console.log(`learned without source: ${summaryLine(withoutSource)}`);
  const file = path.join(__dirname, '..', '..', 'data', 'weights.json');
  writeFileSync(file, `${JSON.stringify(weights, null, 1)}\n`);
  mkdirSync(out, { recursive: true });
  writeReportFiles(out, withoutSource, undefined);
  console.log(`calibration without source: ${calibrate(withoutSource).error.toFixed(3)}`);
}

/** Documents that are made up for training. */
export const SYNTHESISED = 480;

if (require.main === module) void main();
