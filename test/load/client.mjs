import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const LOOK_MS = 100;

/**
 * A client of the API that is logged in.
 * @param {string} base
 * @param {{username: string, password: string}} login
 */
export async function connect(base, { username, password }) {
  let authorization = '';
  const call = async (method, url, body, headers = {}) => {
    const response = await fetch(url.startsWith('http') ? url : `${base}/v1${url}`, {
      method,
      headers: { ...(authorization && { authorization }), ...headers },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 300)}`);
    return text ? JSON.parse(text) : null;
  };
  const json = { 'content-type': 'application/json' };
  const { key } = await call('POST', '/auth/login', JSON.stringify({ username, password }), json);
  authorization = `Bearer ${key}`;
  const count = async (queueId, status) =>
    (await call('GET', `/annotations?queue=${queueId}&status=${status}&page_size=1`)).pagination.total;
  return {
    base,
    authorization,
    call,
    /** Uploads bytes as one document, whose type they tell; answers the URL of the task. */
    async upload(queueId, bytes) {
      const form = new FormData();
      form.append('content', new Blob([bytes]), 'load');
      return (await call('POST', `/uploads?queue=${queueId}`, form)).url;
    },
    /** The same as a client does that is told to come again (429, 503). */
    async uploadUntilTaken(queueId, bytes) {
      for (;;) {
        try {
          return await this.upload(queueId, bytes);
        } catch (error) {
          if (!/: (429|503) /.test(error.message)) throw error;
          await pause(1000);
        }
      }
    },
    count,
    async waitForCount(queueId, status, wanted, timeoutMs) {
      const end = Date.now() + timeoutMs;
      while ((await count(queueId, status)) < wanted) {
        if (Date.now() > end) throw new Error(`${wanted} documents did not come to ${status} in time`);
        await pause(LOOK_MS);
      }
    },
    /** Milliseconds from the upload of a document until somebody can review it. */
    async timeToReview(queueId, bytes) {
      const started = performance.now();
      const task = await this.uploadUntilTaken(queueId, bytes);
      for (;;) {
        const { status, result_url: url } = await call('GET', `${task}?no_redirect=true`);
        if (status === 'failed') throw new Error(`${task} failed`);
        if (status === 'succeeded') {
          const { annotations } = await call('GET', url);
          for (;;) {
            if ((await call('GET', annotations[0])).status === 'to_review') return performance.now() - started;
            await pause(20);
          }
        }
        await pause(20);
      }
    },
  };
}

/** Where the number of an invoice stands. */
const NUMBER = '00000000';

/** An invoice of one page, whose texts stand in it as they are, and so many bytes that nothing refers to. */
function layOut(filling) {
  const lines = [
    [775, 'Northwind Tools Ltd, 12 Mill Lane, Leeds LS1 4AB'],
    [760, 'VAT number: GB123456782'],
    [720, 'Invoice'],
    [700, `Invoice number: ${NUMBER}`],
    [685, 'Invoice date: 12 March 2026'],
    [670, 'Due date: 11 April 2026'],
    [620, 'Description                         Quantity     Unit price        Amount'],
    [605, 'Torque wrench                              2          60.00        120.00'],
    [590, 'Socket set, metric                         1          80.00         80.00'],
    [550, 'Subtotal: 200.00'],
    [535, 'VAT 20 %: 40.00'],
    [520, 'Total GBP: 240.00'],
  ];
  const text = lines.map(([y, line]) => `BT /F1 10 Tf 50 ${y} Td (${line}) Tj ET`).join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
    `<< /Length ${filling} >>\nstream\n${'%'.repeat(filling)}\nendstream`,
  ];
  let pdf = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = pdf.length;
    pdf += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return `${pdf}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
}

const EMPTY = layOut(0);
const laidOut = new Map();

/** An ordinary invoice with a number of its own, of about so many bytes. */
export function makeInvoice(size = EMPTY.length) {
  const invoice = laidOut.get(size) ?? layOut(Math.max(0, size - EMPTY.length));
  laidOut.set(size, invoice);
  const number = String(randomInt(10 ** NUMBER.length)).padStart(NUMBER.length, '0');
  return Buffer.from(invoice.replace(`number: ${NUMBER}`, `number: ${number}`));
}

const SCAN = readFileSync(path.join(ROOT, 'test/samples/scan-en.png'));

/** A scanned page of A4 at 200 DPI, with bytes of its own behind the picture. */
export function makeScan() {
  return Buffer.concat([SCAN, randomBytes(8)]);
}

/** Runs `task` `count` times, some at a time. */
export async function inParallel(count, width, task) {
  let next = 0;
  const work = async () => {
    for (let i = next++; i < count; i = next++) await task(i);
  };
  await Promise.all(Array.from({ length: width }, work));
}

/** The value below which a share of all lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
