import type { queue } from '@intake/contracts';
import { z } from 'zod';
import { answers, attributesOf, modifiedAttributes, resourceKind } from './attributes';
import { boolean, metadata, name, string } from './shapes';

const { shown, field, links } = attributesOf<queue.Connector, queue.Connector>();

/** Longest certificate or key in characters. */
const MAX_PEM_LENGTH = 100_000;

/** API: hooks-and-connectors.md section 7.1. The token is there for admins only, the key for nobody. */
export const CONNECTOR = resourceKind<queue.Connector>('Connector', {
  id: shown(answers.integer, ({ id }) => id),
  name: field('name', name(), { required: true }),
  url: shown(answers.uri, ({ id }, urls) => urls.connector(id)),
  queues: links('queueIds', 'queues'),
  service_url: field('serviceUrl', name(2048), { required: true }),
  params: field('params', string(2048).nullable(), { missing: null }),
  authorization_type: field('authorizationType', z.enum(['secret_key', 'Basic']), { missing: 'secret_key' }),
  authorization_token: field('authorizationToken', string(2048), {
    optional: true,
    show: ({ authorizationToken }) => authorizationToken,
  }),
  asynchronous: field('asynchronous', boolean, { missing: true }),
  client_ssl_certificate: field('clientSslCertificate', string(MAX_PEM_LENGTH).nullable(), { missing: null }),
  client_ssl_key: field('clientSslKey', string(MAX_PEM_LENGTH).nullable(), {
    optional: true,
    schema: { type: ['string', 'null'], writeOnly: true },
    show: () => undefined,
  }),
  metadata: field('metadata', metadata, { show: (row) => row.metadata ?? {} }),
  ...modifiedAttributes<queue.Connector>(),
});
