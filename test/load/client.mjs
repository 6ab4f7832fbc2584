import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const SAMPLE = readFileSync(path.join(ROOT, 'test/samples/invoice-en.pdf'));
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
    /** Uploads bytes as one PDF; answers the URL of the task. */
    async upload(queueId, bytes) {
      const form = new FormData();
      form.append('content', new Blob([bytes]), 'load.pdf');
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

/** An ordinary invoice of so many bytes, other ones each time. */
export function makeInvoice(size = SAMPLE.length + 40) {
  const mark = Buffer.from(`\n%${randomBytes(16).toString('hex')}`);
  const rest = Math.max(0, size - SAMPLE.length - mark.length);
  return Buffer.concat([SAMPLE, mark, Buffer.alloc(rest, '%')]);
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
