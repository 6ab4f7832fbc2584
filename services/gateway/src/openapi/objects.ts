import {
  ANNOTATION_SCHEMA,
  answers,
  BLOCKER_SCHEMA,
  DOCUMENT_SCHEMA,
  DOWNLOAD_SCHEMA,
  DURATION_SCHEMA,
  EMAIL_SCHEMA,
  EMAIL_THREAD_SCHEMA,
  listOf,
  NOTE_SCHEMA,
  ORGANIZATION_GROUP_SCHEMA,
  ORGANIZATION_SCHEMA,
  PAGE_SCHEMA,
  RELATION_SCHEMA,
  SUGGESTED_EDIT_SCHEMA,
  TASK_SCHEMA,
  UPLOAD_SCHEMA,
  USER_SCHEMA,
} from '@intake/resources';
import { namedSchema } from './named-schema';

/** The objects that the OpenAPI document names, beside those of the collections that are declared as a whole. */
export const ANNOTATION = namedSchema('Annotation', ANNOTATION_SCHEMA);
export const BLOCKER = namedSchema('AutomationBlocker', BLOCKER_SCHEMA);
export const DOCUMENT = namedSchema('Document', DOCUMENT_SCHEMA);
export const DOWNLOAD = namedSchema('Download', DOWNLOAD_SCHEMA);
export const DURATION = namedSchema('ProcessingDuration', DURATION_SCHEMA);
export const EMAIL = namedSchema('Email', EMAIL_SCHEMA);
export const EMAIL_THREAD = namedSchema('EmailThread', EMAIL_THREAD_SCHEMA);
export const NOTE = namedSchema('Note', NOTE_SCHEMA);
export const ORGANIZATION = namedSchema('Organization', ORGANIZATION_SCHEMA);
export const ORGANIZATION_GROUP = namedSchema('OrganizationGroup', ORGANIZATION_GROUP_SCHEMA);
export const PAGE = namedSchema('Page', PAGE_SCHEMA);
export const RELATION = namedSchema('Relation', RELATION_SCHEMA);
export const SUGGESTED_EDIT = namedSchema('SuggestedEdit', SUGGESTED_EDIT_SCHEMA);
export const TASK = namedSchema('Task', TASK_SCHEMA);
export const UPLOAD = namedSchema('Upload', UPLOAD_SCHEMA);
export const USER = namedSchema('User', USER_SCHEMA);
export const GROUP = namedSchema('Group', {
  type: 'object',
  properties: { id: answers.integer, name: answers.string, url: answers.uri },
  required: ['id', 'name', 'url'],
});

/** A section, multivalue, tuple or datapoint of a content tree. */
export const NODE = namedSchema('ContentNode', {
  type: 'object',
  properties: {
    id: answers.integer,
    url: answers.uri,
    category: { type: 'string', enum: ['section', 'multivalue', 'tuple', 'datapoint'] },
    schema_id: answers.string,
    content: { type: ['object', 'null'], description: 'Of a datapoint: its value, and where it stands.' },
    children: listOf({ $ref: '#/components/schemas/ContentNode' }),
  },
  required: ['id', 'url', 'category', 'schema_id'],
});

const VALUES = { type: 'object', description: 'Values and metadata: JSON objects as text.' } as const;

/** Files, each a part named `content`. */
export const FILE_BODY = {
  'multipart/form-data': {
    type: 'object',
    properties: {
      content: listOf({ type: 'string', format: 'binary' }),
      values: VALUES,
      metadata: VALUES,
    },
    required: ['content'],
  },
};

/** One file as the body itself. */
export const RAW_BODY = { 'application/octet-stream': { type: 'string', format: 'binary' } };
