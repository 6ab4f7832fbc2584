import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Context, Middleware } from 'koa';

const START = '/index.html';
/** Their names hold a hash of their bytes. */
const HASHED = '/assets/';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const COMPRESSED = /^(text\/|image\/svg)/;

/** Nothing but what is served here runs, is shown or is called; `blob:` are images that the page has fetched. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
].join('; ');

/** Of this page, one document for review may be shown in pages of others; everything else is for this window alone. */
const EMBEDDED = '/embedded/';

const HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  // Pages that buttons of a schema open talk to this one by messages.
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
};

interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly body: Buffer;
  /** Made when it is first asked for. */
  br?: Buffer;
  gzip?: Buffer;
}

/**
 * Serves the built files of a web page, as they are at the start, and the page itself for every path outside `/api` that a browser
 * opens: which place of the page that is, the page knows. A folder that is not there serves nothing.
 */
export function servePage(folder: string, embedOrigins: readonly string[] = []): Middleware {
  const files = readFiles(folder);
  const start = files.get(START);
  return (ctx, next) => {
    const { method, path } = ctx;
    if (!start || (method !== 'GET' && method !== 'HEAD') || path === '/api' || path.startsWith('/api/')) return next();
    const isPlace = path === '/' || (extname(path) === '' && (ctx.get('Accept') ?? '').includes('text/html'));
    const file = files.get(path) ?? (isPlace ? start : undefined);
    if (!file) return next();
    const ancestors = path.startsWith(EMBEDDED) && embedOrigins.length > 0 ? embedOrigins.join(' ') : "'none'";
    ctx.set('Content-Security-Policy', `${POLICY}; frame-ancestors ${ancestors}`);
    send(ctx, file);
  };
}

function send(ctx: Context, file: PageFile): void {
  ctx.set(HEADERS);
  ctx.set('Cache-Control', file.cacheControl);
  ctx.vary('Accept-Encoding');
  ctx.type = file.type;
  ctx.etag = file.etag;
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const encoding = COMPRESSED.test(file.type) ? ctx.acceptsEncodings('br', 'gzip', 'identity') : false;
  if (encoding === 'br') file.br ??= brotliCompressSync(file.body);
  if (encoding === 'gzip') file.gzip ??= gzipSync(file.body);
  if (encoding === 'br' || encoding === 'gzip') ctx.set('Content-Encoding', encoding);
  ctx.body = (encoding === 'br' && file.br) || (encoding === 'gzip' && file.gzip) || file.body;
}

/** Every file below a folder, by its path in a URL. */
function readFiles(folder: string): Map<string, PageFile> {
  if (!existsSync(join(folder, START))) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = `/${relative(folder, file).split(sep).join('/')}`;
      const body = readFileSync(file);
      const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27);
      const cacheControl = path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache';
      return [path, { type: TYPES[extname(path)] ?? 'application/octet-stream', etag, cacheControl, body }];
    }),
  );
}
