/**
 * The queue-schema language: what a schema's `content` looks like once {@link checkSchemaContent} found no error.
 *
 * Attributes keep the names of the API (API: schemas.md section 2) because content is stored and answered as it was
 * sent; unknown attributes are kept.
 */
export type SchemaContent = Section[];

export type NodeCategory = 'section' | 'multivalue' | 'tuple' | 'datapoint';

export type SchemaNode = Section | Multivalue | Tuple | Datapoint;

interface CommonAttributes {
  /** At most 50 characters, unique in the whole schema. */
  id: string;
  label: string;
  hidden?: boolean;
  /** True: nothing is extracted; the shape of the data stays. */
  disable_prediction?: boolean;
  description?: string | null;
  [unknownAttribute: string]: unknown;
}

export interface Section extends CommonAttributes {
  category: 'section';
  children: (Multivalue | Datapoint)[];
  icon?: string | null;
}

/** A list of datapoints or a table of tuples; all items share the one child. */
export interface Multivalue extends CommonAttributes {
  category: 'multivalue';
  children: Tuple | Datapoint;
  min_occurrences?: number | null;
  max_occurrences?: number | null;
  grid?: GridSettings | null;
  show_grid_by_default?: boolean;
  /** Name of the engine's table; only the first counts, default `line_items`. Only with tuples. */
  rir_field_names?: string[] | null;
}

/** A row of a table. */
export interface Tuple extends CommonAttributes {
  category: 'tuple';
  children: Datapoint[];
  rir_field_names?: string[] | null;
}

export interface GridSettings {
  row_types: string[];
  default_row_type: string;
  row_types_to_extract: string[];
}

export type DatapointType = 'string' | 'number' | 'date' | 'enum' | 'button';

export interface EnumOption {
  value: string;
  label: string;
}

export interface Constraints {
  length?: { min?: number | null; max?: number | null; exact?: number | null } | null;
  /** RE2 syntax; searched, not anchored. */
  regexp?: { pattern?: string | null } | null;
  /** Default true. */
  required?: boolean | null;
}

export type UiType = 'captured' | 'data' | 'manual' | 'formula' | 'reasoning' | 'lookup';

export interface UiConfiguration {
  type?: UiType | null;
  edit?: 'enabled' | 'enabled_without_warning' | 'disabled' | null;
  [unknownAttribute: string]: unknown;
}

export interface Datapoint extends CommonAttributes {
  category: 'datapoint';
  type: DatapointType;
  can_export?: boolean;
  can_collapse?: boolean;
  /** Sources of the first value in order of preference (API: schemas.md section 3). */
  rir_field_names?: string[] | null;
  default_value?: string | null;
  constraints?: Constraints;
  ui_configuration?: UiConfiguration | null;
  width?: number | null;
  stretch?: boolean;
  width_chars?: number | null;
  /** 0..1; unset: the queue's `default_score_threshold`. */
  score_threshold?: number | null;
  formula?: string | null;
  /** Of a number or a date. */
  format?: string | null;
  /** Of a number in a tuple. */
  aggregations?: { sum?: { label?: string | null } | null } | null;
  /** Of an enum. */
  options?: EnumOption[];
  enum_value_type?: 'string' | 'number' | 'date' | null;
  /** Of a button. */
  popup_url?: string | null;
  can_obtain_token?: boolean | null;
}
