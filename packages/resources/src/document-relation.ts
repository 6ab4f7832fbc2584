import type { documentStorage } from '@intake/contracts';
import { z } from 'zod';
import { answers, attributesOf, resourceKind } from './attributes';
import { string } from './shapes';

type Row = documentStorage.DocumentRelation;
const { shown, field, link, links } = attributesOf<Row, Row>();

/** API: documents-and-uploads.md section 5. */
export const DOCUMENT_RELATION = resourceKind<Row>('DocumentRelation', {
  id: shown(answers.integer, ({ id }) => id),
  url: shown(answers.uri, ({ id }, urls) => urls.documentRelation(id)),
  type: field('type', z.enum(['export', 'einvoice']), { missing: 'export' }),
  key: field('key', string(255).nullable(), { missing: null }),
  annotation: link('annotationId', 'annotations', { required: true }),
  documents: links('documentIds', 'documents', { missing: [] }),
});
