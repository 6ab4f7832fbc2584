import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { checkSchemaContent, cleanSchemaContent, type SchemaContent, templateByName } from '@intake/schema';
import { findMetadataProblem, findNameProblem, type JsonObject, refuseProblems } from '../fields';
import type { SchemaStore } from './schema.store';

/** A schema as it is now: the fields to extract. API: schemas.md section 1. */
export interface QueueSchema {
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

/** The sections of a template, which is right by construction, or the given ones, checked and cleaned. */
function readContent({ contentJson, templateName }: NewSchema): SchemaContent {
  if (templateName !== undefined) {
    const template = templateByName(templateName);
    if (!template) throw invalidField('template_name', `"${templateName}" is not a valid choice.`);
    return template.content;
  }
  if (contentJson === '') throw invalidField('content', 'This field is required.');
  const content = parseJson(contentJson);
  const fields = checkSchemaContent(content, { allowEmpty: true });
  if (fields) throw new Refusal('INVALID', { fields });
  return cleanSchemaContent(content);
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
  const { name, metadata = {} } = input;
  refuseProblems({ name: findNameProblem(name), metadata: findMetadataProblem(metadata) });
  const content = readContent(input);
  const schema = {
    id: await schemas.nextId(),
    name,
    organizationId: organizationOf(caller),
    version: 1,
    contentJson: JSON.stringify(content),
    metadata,
  };
  await transaction(backbone.database, (session) => schemas.insert(schema, session));
  return schema;
}
