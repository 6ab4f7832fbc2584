/**
 * Writes docs/permissions.md from the permission matrix and the route rows; `--check` only compares, and fails when the page is
 * out of date. The gateway must be built.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { GROUPS, MAY } = require('../dist/roles.js');
const { createRoutes } = require('../dist/routes/index.js');

const PAGE = new URL('../../../docs/permissions.md', import.meta.url);

const routes = createRoutes({ services: new Proxy({}, { get: () => ({}) }), authenticator: {}, domain: null });
const roles = GROUPS.map(({ name }) => name);

const endpointsOf = (permission) => routes.filter(({ allow }) => allow === permission);
const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const list = (permission) =>
  endpointsOf(permission).map(({ method, path }) => `- \`${method} ${path.replace(/:(\w+)/g, '<$1>')}\``);

const matrix = table(
  ['permission', ...roles],
  Object.entries(MAY).map(([permission, may]) => [permission, ...roles.map((role) => (may.includes(role) ? 'x' : ''))]),
);
const sections = ['public', ...Object.keys(MAY)].filter((permission) => endpointsOf(permission).length > 0);
const page = `# Who may do what

Made by \`npm run permissions\` out of [roles.ts](../services/gateway/src/roles.ts) and the routes; not edited by hand.

A role without the permission gets 403. Beyond that, users see the annotations, documents, pages, uploads and e-mails of the
queues they are assigned to; \`admin\` and \`organization_group_admin\` those of all queues of the organization; a task is for
who made it, and for admins. What a caller may not see is 404, and nobody sees another organization.

${matrix}

## Endpoints by permission

Some endpoints ask for more than their permission: users see themselves, and of others what \`readUsers\` and \`readUserNames\` say;
they change themselves, and admins others; an export with \`to_status\` needs \`exportToStatus\`; \`annotator_embedded\` changes the
metadata of an annotation only.

${sections.map((permission) => [`### ${permission}`, '', ...list(permission)].join('\n')).join('\n\n')}
`;

if (process.argv[2] !== '--check') {
  writeFileSync(PAGE, page);
} else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/permissions.md is out of date: npm run permissions');
  process.exit(1);
}
