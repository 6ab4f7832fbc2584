import { mkdirSync } from 'node:fs';
import { readArguments } from './arguments';
import { loadCorpus } from './corpus';
import { learn } from './learn';
import { type DocumentResult, measureDocument, summarize } from './measure';
import { measureMemory } from './measure-memory';
import { summaryLine, writeReportFiles } from './report';
import { synthesize } from './synthesize';
import { SYNTHESISED } from './train';

/** `npm run eval -- --corpus DIR`: scores a folder and writes the report. */
async function main(): Promise<void> {
  const { corpus, cache, out } = readArguments('eval');
  const documents = await loadCorpus(corpus, cache, (file) => console.error(`read ${file}`));
  const sources = new Set(documents.map(({ truth }) => truth.source));
  const withoutSource = sources.size > 1 ? learn(documents, synthesize(SYNTHESISED)).withoutSource : undefined;
  const results = documents.map((document) => measureDocument(document));
  mkdirSync(out, { recursive: true });
  writeReportFiles(out, withoutSource, results);
  if (withoutSource) console.log(`learned without source: ${summaryLine(withoutSource)}`);
  console.log(`weights of the package: ${summaryLine(results)}`);
  const memory = measureMemory(documents);
  const scores = (results: DocumentResult[]) => {
    const { header, tables } = summarize(results);
    return `headerF1=${header.f1.toFixed(4)} tableF1=${tables.f1.toFixed(4)}`;
  };
  console.log(
    `one confirmed document of each sender: ${memory.after.length} others from ${scores(memory.before)} to ${scores(memory.after)}; lessons of other senders: ${memory.worse.length} fields and columns worse, ${memory.better.length} better`,
  );
  console.log(
    `tables learned from one document: ${memory.withTable.length} readings of the sender's others from ${scores(memory.withoutTable)} to ${scores(memory.withTable)}`,
  );
  console.log(`Report: ${out}/report.md`);
}

void main();
