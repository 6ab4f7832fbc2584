#!/usr/bin/env node
/**
 * Recognises every document of a folder and writes one JSON file for each, as the scorer wants it:
 *
 *     node packages/engine/scripts/predict.mjs DIR OUT [--min-confidence 0.25] [--jobs 2]
 *
 * OUT/<file>.json = {"fields": {identifier: value}, "tables": {name: [{column: value}]}}. Needs the built package.
 * Office files are converted with LibreOffice (`soffice`) when it is installed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const require = createRequire(import.meta.url);
const { ChildPool, detectMimeType } = require('@intake/untrusted');
const { engineWorker } = require('../dist/index.js');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'min-confidence': { type: 'string', default: '0.25' }, jobs: { type: 'string', default: '2' } },
});
const [folder, out] = positionals;
if (!folder || !out) {
  console.error('Usage: predict.mjs DIR OUT [--min-confidence 0.25] [--jobs 2]');
  process.exit(2);
}
mkdirSync(out, { recursive: true });
const pool = new ChildPool({ worker: engineWorker, size: Number(options.jobs), env: { PATH: process.env.PATH ?? '' } });
const least = Number(options['min-confidence']);

function convertOffice(file) {
  const work = mkdtempSync(path.join(tmpdir(), 'predict-'));
  try {
    const profile = `-env:UserInstallation=file://${work}/profile`;
    // A sheet that is wider than a page would be cut into several otherwise.
    const sheet = 'pdf:calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}';
    const target = /\.(xlsx?|ods)$/i.test(file) ? sheet : 'pdf';
    execFileSync('soffice', ['--headless', profile, '--convert-to', target, '--outdir', work, file], {
      stdio: 'ignore',
    });
    return readFileSync(
      path.join(
        work,
        readdirSync(work).find((name) => name.endsWith('.pdf')),
      ),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function predict(name) {
  const file = path.join(folder, name);
  let bytes = readFileSync(file);
  let mimeType = detectMimeType(bytes.subarray(0, 65536), name);
  if (/officedocument|opendocument|msword|ms-excel/.test(mimeType)) {
    bytes = convertOffice(file);
    mimeType = 'application/pdf';
  }
  const started = performance.now();
  const { fields, tables } = await pool.run('recognize', { bytes, options: { mimeType } });
  const took = performance.now() - started;
  const best = Object.entries(fields).filter(([, [first]]) => first.confidence >= least);
  const rows = (table) =>
    table
      .filter((row) => row.type === 'data')
      .map((row) => Object.fromEntries(Object.entries(row.cells).map(([column, cell]) => [column, cell.value])));
  const prediction = {
    fields: Object.fromEntries(best.map(([field, [first]]) => [field, first.value])),
    tables: Object.fromEntries(Object.entries(tables).map(([table, content]) => [table, rows(content)])),
  };
  writeFileSync(path.join(out, `${name}.json`), `${JSON.stringify(prediction, null, 1)}\n`);
  return took;
}

const times = [];
const names = readdirSync(folder);
const started = performance.now();
const work = async () => {
  for (let name = names.shift(); name; name = names.shift()) {
    try {
      times.push(await predict(name));
    } catch (error) {
      console.error(`${name}: ${error.message}`);
    }
  }
};
await Promise.all(Array.from({ length: Number(options.jobs) }, work));
await pool.close();
times.sort((a, b) => a - b);
const median = times[Math.floor(times.length / 2)] ?? 0;
const minutes = (performance.now() - started) / 60_000;
console.log(
  `${times.length} documents, median ${Math.round(median)} ms, ${Math.round(times.length / minutes)} a minute`,
);
