import { runInNewContext } from 'node:vm';
import { Validator } from '@cfworker/json-schema';
import type { JsonObject } from '../fields';

/** A schema comes from outside: patterns and references may be made to take for ever. Time of the processor, in milliseconds. */
const LIMIT_MS = 200;
const MOST_MESSAGES = 10;

/** What is wrong with a value, or with the schema that it is to match. */
export interface SchemaVerdict {
  /** Messages, at most ten; none: the value matches. */
  readonly mismatches: string[];
  /** Why nothing can be checked by the schema; null: it can. */
  readonly problem: string | null;
}

const TYPE = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
const SCHEMA = { $ref: '#' };
const SCHEMAS = { type: 'array', items: SCHEMA };
const NAMED_SCHEMAS = { type: 'object', additionalProperties: SCHEMA };
/** The parts of JSON Schema in which a mistake makes a schema that nothing matches, or everything. */
const SCHEMA_OF_SCHEMAS: JsonObject = {
  type: ['object', 'boolean'],
  properties: {
    type: { anyOf: [TYPE, { type: 'array', items: TYPE }] },
    enum: { type: 'array' },
    required: { type: 'array', items: { type: 'string' } },
    properties: NAMED_SCHEMAS,
    patternProperties: NAMED_SCHEMAS,
    additionalProperties: SCHEMA,
    items: { anyOf: [SCHEMA, SCHEMAS] },
    allOf: SCHEMAS,
    anyOf: SCHEMAS,
    oneOf: SCHEMAS,
    not: SCHEMA,
    $defs: NAMED_SCHEMAS,
    definitions: NAMED_SCHEMAS,
  },
};

/** What is wrong with a JSON schema, at most ten messages; none: nothing. */
export function findSchemaProblems(schema: JsonObject): string[] {
  const { mismatches, problem } = checkBySchema(SCHEMA_OF_SCHEMAS, schema);
  return problem === null ? mismatches : [problem];
}

/** Checks a value by a JSON schema. */
export function checkBySchema(schema: JsonObject, value: JsonObject): SchemaVerdict {
  const unusable = (problem: string) => ({ mismatches: [], problem });
  const check = () => {
    const { valid, errors } = new Validator(schema, '2020-12', false).validate(value);
    return valid
      ? []
      : errors.slice(0, MOST_MESSAGES).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
  };
  let left = LIMIT_MS;
  for (;;) {
    const before = process.cpuUsage();
    try {
      return { mismatches: runInNewContext('check()', { check }, { timeout: LIMIT_MS }) as string[], problem: null };
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
        return unusable(`The schema cannot be used: ${error instanceof Error ? error.message : String(error)}`);
      // The clock went on while others had the processor: what a busy machine took of the time is given again.
      const { user, system } = process.cpuUsage(before);
      left -= (user + system) / 1000;
      if (left <= LIMIT_MS / 2) return unusable('The schema takes too long to check.');
    }
  }
}
