import type { Caller } from '@intake/rpc';
import type { ApiUrls, Collection } from '@intake/urls';
import { type ZodType, z } from 'zod';
import { reference } from './shapes';
import { formatTime, urlOrNull } from './values';

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** How an attribute is written. */
export interface Write {
  /** What is taken; gives what the service takes. */
  readonly shape: ZodType;
  /** POST and PUT must name it. */
  readonly required: boolean;
  /** Only POST writes it; later it is ignored. */
  readonly onlyAtCreation: boolean;
  /** What PUT writes when it is missing; absent: it keeps what it is. */
  readonly missing?: { readonly value: unknown };
  /** The fields of the service's object that the value becomes; undefined: emptied. */
  readonly put: (value: unknown) => Readonly<Record<string, unknown>>;
}

/** One attribute of a resource. */
export interface Attribute<Row> {
  /** Of what is answered. */
  readonly schema: JsonSchema;
  /** What is answered; undefined: the attribute is not there for this caller. */
  readonly show: (row: Row, urls: ApiUrls, caller: Caller) => unknown;
  /** Not there for everybody, or never. */
  readonly optional: boolean;
  /** Absent: read-only, and ignored when it is sent. */
  readonly write?: Write;
}

/** Attributes by name, in the order in which they are answered. */
export type Attributes<Row> = Readonly<Record<string, Attribute<Row>>>;

/** What may be said of a written attribute. */
export interface WriteOptions<Row> {
  readonly required?: true;
  readonly onlyAtCreation?: true;
  /** What PUT writes when it is missing; without it the attribute keeps what it is. */
  readonly missing?: unknown;
  /** Other than the field itself. */
  readonly show?: Attribute<Row>['show'];
  /** Of what is answered, where it is not what is taken. */
  readonly schema?: JsonSchema;
  /** Not there for everybody, or never. */
  readonly optional?: true;
  readonly put?: Write['put'];
}

const URI = { type: 'string', format: 'uri' } as const;
/** Schemas of what is answered. */
export const answers = {
  integer: { type: 'integer' },
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  uri: URI,
  uriOrNull: { type: ['string', 'null'], format: 'uri' },
  uris: { type: 'array', items: URI },
  time: { type: 'string', format: 'date-time' },
  timeOrNull: { type: ['string', 'null'], format: 'date-time' },
  number: { type: 'number' },
  integerOrNull: { type: ['integer', 'null'] },
  numberOrNull: { type: ['number', 'null'] },
  stringOrNull: { type: ['string', 'null'] },
  objectOrNull: { type: ['object', 'null'] },
  strings: { type: 'array', items: { type: 'string' } },
} as const satisfies Record<string, JsonSchema>;

/**
 * JSON Schema of an object that a function makes.
 *
 * @param properties of every key that the object may have
 * @param optional those that are not there for everybody, or not always
 */
export function objectSchema<T extends object>(
  properties: { readonly [K in keyof T]-?: JsonSchema },
  optional: readonly (keyof T & string)[] = [],
): JsonSchema {
  const names = Object.keys(properties) as (keyof T & string)[];
  return { type: 'object', properties, required: names.filter((name) => !optional.includes(name)) };
}

/** JSON Schema of a list without pages. */
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** JSON Schema of what may be null. */
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

/** JSON Schema of what a shape takes. */
export function inputSchema(shape: ZodType): JsonSchema {
  const { $schema: _schema, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', cycles: 'ref' });
  return schema;
}

/**
 * The ways to declare attributes of a resource.
 *
 * `Row` is what is answered from; `Values` is the service's object, fields of which are written.
 */
export function attributesOf<Row, Values extends object>() {
  const field = <K extends keyof Values & string>(
    key: K,
    shape: ZodType,
    options: WriteOptions<Row> = {},
  ): Attribute<Row> => ({
    schema: options.schema ?? inputSchema(shape),
    show: options.show ?? ((row) => (row as Record<string, unknown>)[key] ?? null),
    optional: options.optional ?? false,
    write: {
      shape,
      required: options.required ?? false,
      onlyAtCreation: options.onlyAtCreation ?? false,
      ...('missing' in options && { missing: { value: options.missing } }),
      put: options.put ?? ((value) => ({ [key]: value ?? undefined })),
    },
  });

  return {
    /** A read-only attribute. */
    shown: (schema: JsonSchema, show: Attribute<Row>['show']): Attribute<Row> => ({ schema, show, optional: false }),

    /** A field of the service's object. */
    field,

    /** A reference to one object. */
    link: <K extends keyof Values & string>(
      key: K,
      collection: Collection,
      options: WriteOptions<Row> & { readonly nullable?: true } = {},
    ): Attribute<Row> =>
      field(key, options.nullable ? reference(collection).nullable() : reference(collection), {
        show: (row, urls) => urlOrNull((id) => urls.at(`${collection}/${id}`), (row as Record<string, number>)[key]),
        ...options,
      }),

    /** References to objects, in no order that means anything. */
    links: <K extends keyof Values & string>(
      key: K,
      collection: Collection,
      options: WriteOptions<Row> = {},
    ): Attribute<Row> =>
      field(key, z.array(reference(collection)), {
        show: (row, urls) => ((row as Record<string, number[]>)[key] ?? []).map((id) => urls.at(`${collection}/${id}`)),
        ...options,
      }),
  };
}

/** Who changed an object last, and when. */
export function modifiedAttributes<Row extends { modifiedById?: number; modifiedAt?: Date }>(): {
  modified_by: Attribute<Row>;
  modified_at: Attribute<Row>;
} {
  const { shown } = attributesOf<Row, object>();
  return {
    modified_by: shown(answers.uriOrNull, (row, urls) => urlOrNull(urls.user, row.modifiedById)),
    modified_at: shown(answers.timeOrNull, (row) => formatTime(row.modifiedAt)),
  };
}

/** A kind of object of the API: its name in the OpenAPI document, and its attributes. */
export interface ResourceKind<Row> {
  /** Such as `Queue`. */
  readonly name: string;
  readonly attributes: Attributes<Row>;
  /** The object as it is answered. */
  readonly toJson: (row: Row, urls: ApiUrls, caller: Caller) => Record<string, unknown>;
}

/** Declares a kind of object. */
export function resourceKind<Row>(name: string, attributes: Attributes<Row>): ResourceKind<Row> {
  const entries = Object.entries(attributes);
  return {
    name,
    attributes,
    toJson(row, urls, caller) {
      const object: Record<string, unknown> = {};
      for (const [key, { show }] of entries) {
        const value = show(row, urls, caller);
        if (value !== undefined) object[key] = value;
      }
      return object;
    },
  };
}

/** JSON Schema of the object that is answered. */
export function schemaOf<Row>(attributes: Attributes<Row>): JsonSchema {
  const entries = Object.entries(attributes);
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, { schema, write }]) => [name, write ? schema : { ...schema, readOnly: true }]),
    ),
    required: entries.filter(([, { optional }]) => !optional).map(([name]) => name),
  };
}

/** What a write takes: POST and PUT with what is required, PATCH with nothing. */
export function bodyOf<Row>(
  attributes: Attributes<Row>,
  method: 'POST' | 'PUT' | 'PATCH',
): ZodType<Record<string, unknown>> {
  const shapes: Record<string, ZodType> = {};
  for (const [name, { write }] of Object.entries(attributes)) {
    if (!write || (write.onlyAtCreation && method !== 'POST')) continue;
    shapes[name] = write.required && method !== 'PATCH' ? write.shape : write.shape.optional();
  }
  return z.object(shapes) as ZodType<Record<string, unknown>>;
}

/** The fields of the service's object that a body writes. */
export function valuesOf<Row>(
  attributes: Attributes<Row>,
  body: Readonly<Record<string, unknown>>,
  method: 'POST' | 'PUT' | 'PATCH',
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, { write }] of Object.entries(attributes)) {
    if (!write) continue;
    if (body[name] !== undefined) add(values, write.put(body[name]));
    else if (method === 'PUT' && write.missing && !write.onlyAtCreation) add(values, write.put(write.missing.value));
  }
  return values;
}

/** Several attributes may be parts of one field. */
function add(values: Record<string, unknown>, more: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(more)) {
    values[key] = isRecord(values[key]) && isRecord(value) ? { ...values[key], ...value } : value;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
