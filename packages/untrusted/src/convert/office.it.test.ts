import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import JSZip from 'jszip';
import { ChildPool, type ConvertJobs, convertWorker } from '../index';

/** With LibreOffice itself. A job that is told of a program that is not there can only be done by the process that waits. */

const NOWHERE = '/nowhere/soffice';
const RTF = 'application/rtf';
const EXCEL = 'application/vnd.ms-excel';
const ODS = 'application/vnd.oasis.opendocument.spreadsheet';
const prefix = `intake-test-office-${process.pid}-`;
const env = { PATH: process.env.PATH ?? '' };
const pools: ChildPool<ConvertJobs>[] = [];

function open(count: number, idleMs = 120_000): ChildPool<ConvertJobs> {
  const pool = new ChildPool<ConvertJobs>({
    ...{ worker: convertWorker, size: 1, jobsPerChild: 1, folders: prefix, env },
    ahead: { count, input: { program: 'soffice' }, idleMs },
  });
  pools.push(pool);
  return pool;
}

const folders = (ofPrefix = prefix) =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith(ofPrefix))
    .map((name) => path.join(tmpdir(), name));
const isReady = (folder: string) => existsSync(path.join(folder, 'waiting/socket'));

async function until(condition: () => boolean, timeoutMs = 60_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Process ids of a group: a child of a pool, and what it has started. */
function processesOf(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [state, , own] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
        return Number(own) === group && state !== 'Z';
      } catch {
        return false;
      }
    })
    .map(Number);
}

const text = (line: string) => Buffer.from(`{\\rtf1\\ansi ${line}\\par}`);

async function sheet(cell: string): Promise<Buffer> {
  const zip = new JSZip();
  const urn = (name: string) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`;
  zip.file('mimetype', ODS);
  zip.file(
    'META-INF/manifest.xml',
    `<manifest:manifest ${urn('manifest')}><manifest:file-entry manifest:full-path="/" manifest:media-type="${ODS}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
  );
  zip.file(
    'content.xml',
    `<office:document-content ${urn('office')} ${urn('table')} ${urn('text')} office:version="1.2"><office:body><office:spreadsheet><table:table table:name="Invoice"><table:table-row><table:table-cell office:value-type="string"><text:p>${cell}</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`,
  );
  return zip.generateAsync({ type: 'nodebuffer' });
}

/** A PDF without what tells when it was made. */
const timeless = (pdf: Buffer) =>
  pdf
    .toString('latin1')
    .replace(/\/CreationDate\([^)]*\)/, '')
    .replace(/\/ID \[[^\]]*\]/, '')
    .replace(/\/DocChecksum \/[0-9A-F]+/, '');

/** Has a first document converted, and waits until a process is ready for the next. */
async function openReady(): Promise<{ pool: ChildPool<ConvertJobs>; waiting: number; folder: string }> {
  const pool = open(1);
  await pool.run('convertOffice', { bytes: text('first'), mimeType: RTF, program: 'soffice' });
  await until(() => folders().some(isReady));
  return { pool, waiting: Number(pool.pids.at(-1)), folder: String(folders().find(isReady)) };
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  expect(folders()).toEqual([]);
});

it.each<[string, string, () => Buffer | Promise<Buffer>]>([
  ['a text', RTF, () => text('Invoice number: HF-2024-0117')],
  ['a sheet', ODS, () => sheet('Invoice number: HF-2024-0117')],
])('%s becomes the same PDF whether LibreOffice waited for it or not', async (_, mimeType, build) => {
  const bytes = await build();
  const cold = await open(0).run('convertOffice', { bytes, mimeType, program: 'soffice' });
  const { pool } = await openReady();
  const warm = await pool.run('convertOffice', { bytes, mimeType, program: NOWHERE });
  expect(timeless(warm)).toBe(timeless(cold));
});

it.each<[string, (rows: number) => string]>([
  ['HTML', (rows) => `<html><table>${'<tr><td>one</td><td>two</td></tr>'.repeat(rows)}<tr><td>last</td></tr></table>`],
  [
    'XML Spreadsheet 2003',
    (rows) => `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
      <Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table>
      ${'<Row><Cell><Data ss:Type="String">one</Data></Cell></Row>'.repeat(rows)}</Table></Worksheet></Workbook>`,
  ],
])('a long sheet of %s becomes pages, a short one a single one', async (_, build) => {
  const pagesOf = async (rows: number) => {
    const bytes = Buffer.from(build(rows));
    const pdf = await open(0).run('convertOffice', { bytes, mimeType: EXCEL, program: 'soffice' });
    return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length;
  };
  expect(await pagesOf(100)).toBe(1);
  expect(await pagesOf(2000)).toBeGreaterThan(20);
});

it('RTF that is named as a Word file becomes the same PDF as RTF', async () => {
  const bytes = text('Invoice number: HF-2024-0117');
  const read = async (mimeType: string) =>
    timeless(await open(0).run('convertOffice', { bytes, mimeType, program: 'soffice' }));
  expect(await read('application/msword')).toBe(await read(RTF));
});

const HTML = (base: string) =>
  `<html><head><link rel="stylesheet" href="${base}/a.css"></head><body background="${base}/b.png"><table>
    <tr><td>Invoice number</td><td>0042</td></tr><tr><td><img src="${base}/c.png"></td><td>=WEBSERVICE("${base}/d")</td></tr></table>`;

it.each<[string, string, (base: string) => string]>([
  ['a table of HTML that is named as an Excel file', EXCEL, HTML],
  ['HTML that is named as a Word file', 'application/msword', HTML],
  [
    'a single file web page that is named as a Word file',
    'application/msword',
    (base) => `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${HTML(base)}`,
  ],
  [
    'a workbook in XML',
    EXCEL,
    (
      base,
    ) => `<?xml version="1.0"?><?xml-stylesheet href="${base}/a.xsl" type="text/xsl"?><?mso-application progid="Excel.Sheet"?>
      <Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table>
      <Row><Cell ss:HRef="${base}/b"><Data ss:Type="String">Invoice number</Data></Cell><Cell><Data ss:Type="Number">42</Data></Cell></Row>
      <Row><Cell ss:Formula="=WEBSERVICE(&quot;${base}/d&quot;)"><Data ss:Type="String">x</Data></Cell></Row></Table></Worksheet></Workbook>`,
  ],
])('%s becomes a page, and nothing in it is fetched', async (_, mimeType, build) => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bytes = Buffer.from(build(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  try {
    const pdf = await open(0).run('convertOffice', { bytes, mimeType, program: 'soffice' });
    expect(pdf.toString('latin1', 0, 5)).toBe('%PDF-');
    expect(asked).toEqual([]);
  } finally {
    server.close();
  }
});

it('each document has a process and a folder of its own', async () => {
  const { pool, waiting, folder } = await openReady();
  await pool.run('convertOffice', { bytes: text('of one'), mimeType: RTF, program: NOWHERE });
  await until(() => processesOf(waiting).length === 0 && !existsSync(folder));
  await until(() => folders().some(isReady));
  expect(pool.pids).not.toContain(waiting);
  const second = await pool.run('convertOffice', { bytes: text('of another'), mimeType: RTF, program: NOWHERE });
  const alone = await open(0).run('convertOffice', { bytes: text('of another'), mimeType: RTF, program: 'soffice' });
  expect(timeless(second)).toBe(timeless(alone));
});

it('a document is converted when the process that waited for it was killed', async () => {
  const { pool, waiting } = await openReady();
  for (const pid of processesOf(waiting)) if (pid !== waiting) process.kill(pid, 'SIGKILL');
  await until(() => processesOf(waiting).length === 1);
  const pdf = await pool.run('convertOffice', { bytes: text('second'), mimeType: RTF, program: 'soffice' });
  expect(pdf.toString('latin1', 0, 5)).toBe('%PDF-');
  await until(() => folders().some(isReady));
});

it('a damaged document is refused, and the next one is converted', async () => {
  const { pool } = await openReady();
  const damaged = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(3000, 7)]);
  await expect(pool.run('convertOffice', { bytes: damaged, mimeType: ODS, program: 'soffice' })).rejects.toMatchObject({
    reason: 'corrupt',
  });
  await until(() => folders().some(isReady));
  const pdf = await pool.run('convertOffice', { bytes: text('next'), mimeType: RTF, program: NOWHERE });
  expect(pdf.toString('latin1', 0, 5)).toBe('%PDF-');
});

it('a process that waits in vain is let go', async () => {
  const pool = open(1, 1000);
  await pool.run('convertOffice', { bytes: text('first'), mimeType: RTF, program: 'soffice' });
  const waiting = Number(pool.pids.at(-1));
  await until(() => processesOf(waiting).length === 0 && pool.pids.length === 0 && folders().length === 0);
});

it('nothing is left of a process that waits when its parent is killed', async () => {
  const own = `${prefix}killed-`;
  const script = `
    const { ChildPool, convertWorker } = require(${JSON.stringify(path.join(__dirname, '../..', 'dist/index.js'))});
    const pool = new ChildPool({
      worker: convertWorker, size: 1, jobsPerChild: 1, folders: ${JSON.stringify(own)}, env: ${JSON.stringify(env)},
      ahead: { count: 1, input: { program: 'soffice' }, idleMs: 120_000 },
    });
    pool.run('convertOffice', { bytes: Buffer.from(${JSON.stringify(text('first').toString())}), mimeType: ${JSON.stringify(RTF)}, program: 'soffice' })
      .then(() => process.stdout.write(String(pool.pids.at(-1))));
  `;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let waiting = 0;
  parent.stdout.once('data', (pid) => {
    waiting = Number(pid);
  });
  await until(() => waiting > 0 && folders(own).some(isReady));
  expect(processesOf(waiting).length).toBeGreaterThan(2);
  parent.kill('SIGKILL');
  await until(() => processesOf(waiting).length === 0 && folders(own).length === 0);
});
