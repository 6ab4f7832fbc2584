import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Middleware } from 'koa';

const PATH = '/api/docs';

/** The files of the page, all served from here: name -> content type. */
const LIBRARY: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Intake API</title>
<link rel="stylesheet" href="${PATH}/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="${PATH}/swagger-ui-bundle.js"></script>
<script src="${PATH}/start.js"></script>
</body>
</html>
`;
const START = `SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#page', deepLinking: true, docExpansion: 'none', filter: true });
`;

/** Nothing but what is served here runs; the library writes styles into its elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves a page under `/api/docs` that shows the OpenAPI document and lets people try it. */
export function serveDocs(): Middleware {
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  const files = new Map<string, { type: string; body: string | Buffer }>([
    [PATH, { type: 'text/html; charset=utf-8', body: PAGE }],
    [`${PATH}/start.js`, { type: 'text/javascript; charset=utf-8', body: START }],
    ...Object.entries(LIBRARY).map(
      ([name, type]) => [`${PATH}/${name}`, { type, body: readFileSync(join(folder, name)) }] as const,
    ),
  ]);
  return (ctx, next) => {
    const file = ctx.method === 'GET' || ctx.method === 'HEAD' ? files.get(ctx.path.replace(/\/$/, '')) : undefined;
    if (!file) return next();
    ctx.set('Content-Security-Policy', POLICY);
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.set('Cache-Control', 'max-age=3600');
    ctx.body = file.body;
    ctx.type = file.type;
  };
}
