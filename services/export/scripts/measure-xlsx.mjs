// Memory while an XLSX file is made and thrown away, of as many rows as the argument says (100,000 by default).
// To be run after `npx tsc -p services/export`.
import { createRequire } from 'node:module';

const { renderXlsx } = createRequire(import.meta.url)('../dist/render/xlsx.js');
const ROWS = Number(process.argv[2] ?? 100_000);
const COLUMNS = 20;

async function* makeRows() {
  for (let i = 0; i < ROWS; i++) {
    yield Array.from({ length: COLUMNS }, (_, column) => {
      if (column % 3 === 0) return { value: (Math.random() * 1000).toFixed(2), type: 'number' };
      if (column % 3 === 1) return { value: '2024-03-15', type: 'date' };
      return { value: `${Math.random()} of row ${i}`, type: 'string' };
    });
  }
}

const megabytes = (bytes) => Math.round(bytes / 1024 / 1024);
const before = process.memoryUsage.rss();
const started = Date.now();
let most = before;
let size = 0;
for await (const chunk of renderXlsx(
  Array.from({ length: COLUMNS }, (_, i) => `Column ${i}`),
  makeRows(),
)) {
  size += chunk.length;
  most = Math.max(most, process.memoryUsage.rss());
}
console.log(
  `${ROWS} rows, file ${megabytes(size)} MB, memory ${megabytes(before)} + ${megabytes(most - before)} MB, ${Math.round((Date.now() - started) / 1000)} s`,
);
