import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, type FieldErrors, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { checkSchemaContent, cleanSchemaContent, type SchemaContent, templateByName } from '@intake/schema';
import { found, type Modified, modifiedBy, UNMODIFIED } from '../change';
import { findMetadataProblem, findNameProblem, type JsonObject, refuseProblems } from '../fields';
import type { QueueStore } from '../queue/queue.store';
import type { SchemaStore } from './schema.store';

/** A schema as it is now: the fields to extract. API: schemas.md section 1. */
export interface QueueSchema extends Modified {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  /** From 1; grows with each change of content. */
  readonly version: number;
  /** JSON text of the list of sections: as text, because its order and unknown attributes are kept. */
  readonly contentJson: string;
  readonly metadata: JsonObject;
}

/** What a new schema is made of: content, or the name of a template. */
export interface NewSchema {
  readonly name: string;
  readonly contentJson: string;
  readonly templateName?: string;
  readonly metadata?: JsonObject;
}

/** The sections of a template. Field error: `template_name`. */
export function contentOfTemplate(name: string): SchemaContent {
  const template = templateByName(name);
  if (!template) throw invalidField('template_name', `"${name}" is not a valid choice.`);
  return template.content;
}

/** What is wrong with given sections, as field errors; null: nothing. */
function findContentErrors(contentJson: string): FieldErrors | null {
  if (contentJson === '') return { content: ['This field is required.'] };
  return checkSchemaContent(parseJson(contentJson), { allowEmpty: true });
}

/** Given sections without what is not part of the language; they are right. */
function cleanContent(contentJson: string): SchemaContent {
  return cleanSchemaContent(parseJson(contentJson));
}

/** The errors of a content as a 400 would carry them, or null; an empty content is one. API: schemas.md section 1. */
export function validateSchema(contentJson: string) {
  if (contentJson === '') return { content: ['This field is required.'] };
  return checkSchemaContent(parseJson(contentJson));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('content', 'Value must be valid JSON.');
  }
}

/**
 * Makes a schema in the caller's organization. Caller: admin. Field errors: `name`, `metadata`, `template_name`, and
 * `content`, nested as the content is (API: schemas.md section 6).
 */
export async function createSchema(
  caller: Caller,
  input: NewSchema,
  { schemas, backbone }: { schemas: SchemaStore; backbone: Pick<Backbone, 'database'> },
): Promise<QueueSchema> {
  requireAdmin(caller);
  const { name, metadata = {}, templateName, contentJson } = input;
  const template = templateName === undefined ? undefined : contentOfTemplate(templateName);
  refuseProblems(
    { name: findNameProblem(name), metadata: findMetadataProblem(metadata) },
    template ? null : findContentErrors(contentJson),
  );
  const content = template ?? cleanContent(contentJson);
  const schema = {
    id: await schemas.nextId(),
    name,
    organizationId: organizationOf(caller),
    version: 1,
    contentJson: JSON.stringify(content),
    metadata,
    ...UNMODIFIED,
  };
  await transaction(backbone.database, (session) => schemas.insert(schema, session));
  return schema;
}

/** What admins write of a schema. */
export type SchemaInput = Pick<QueueSchema, 'name' | 'contentJson' | 'metadata'>;

interface Deps {
  readonly schemas: SchemaStore;
  readonly queues: QueueStore;
  readonly backbone: Pick<Backbone, 'database' | 'emit'>;
}

/**
 * Changes a schema. Other content becomes a new version, and everybody is told, so that existing annotations follow
 * (API: schemas.md section 7). Caller: admin. Field errors as those of `createSchema`.
 */
export async function updateSchema(
  caller: Caller,
  id: number,
  { contentJson, ...change }: Partial<SchemaInput>,
  { schemas, backbone }: Deps,
): Promise<QueueSchema> {
  requireAdmin(caller);
  refuseProblems(
    {
      name: change.name === undefined ? null : findNameProblem(change.name),
      metadata: findMetadataProblem(change.metadata),
    },
    contentJson === undefined ? null : findContentErrors(contentJson),
  );
  const content = contentJson === undefined ? undefined : JSON.stringify(cleanContent(contentJson));
  return transaction(backbone.database, async (session) => {
    const before = found(await schemas.find(caller, id, session));
    const isNew = content !== undefined && content !== before.contentJson;
    const after: QueueSchema = {
      ...before,
      ...change,
      ...(isNew && { contentJson: content, version: before.version + 1 }),
      ...modifiedBy(caller),
    };
    await schemas.update(caller, after, before, session);
    if (isNew) {
      backbone.emit(session, {
        subject: 'schema.updated',
        aggregate: `schema:${id}`,
        version: after.version,
        payload: { schemaId: id, organizationId: after.organizationId, version: after.version },
      });
    }
    return after;
  });
}

/** Deletes a schema with all its versions; CONFLICT while a queue uses it. Caller: admin. */
export async function deleteSchema(caller: Caller, id: number, { schemas, queues, backbone }: Deps): Promise<void> {
  requireAdmin(caller);
  await transaction(backbone.database, async (session) => {
    if (!(await schemas.remove(caller, id, session))) throw new Refusal('NOT_FOUND');
    if (await queues.uses(caller, { schemaId: id }, session)) {
      throw new Refusal('CONFLICT', { detail: 'The schema is used by a queue.' });
    }
  });
}
