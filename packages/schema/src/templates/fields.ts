import type { Datapoint, EnumOption, Multivalue, Section } from '../schema-content';

type FieldAttributes = Partial<Datapoint> & { required?: boolean };

/** A field whose first value is the engine's of the same name, unless `rir_field_names` says otherwise; not required. */
export function field(id: string, label: string, attributes: FieldAttributes = {}): Datapoint {
  const { required = false, type = 'string', ...others } = attributes;
  return {
    category: 'datapoint',
    id,
    label,
    type,
    rir_field_names: [id],
    constraints: { required },
    ...others,
  };
}

export function numberField(id: string, label: string, attributes: FieldAttributes = {}): Datapoint {
  return field(id, label, { type: 'number', format: '# ##0.#', ...attributes });
}

export function dateField(id: string, label: string, attributes: FieldAttributes = {}): Datapoint {
  return field(id, label, { type: 'date', format: 'YYYY-MM-DD', ...attributes });
}

export function enumField(
  id: string,
  label: string,
  options: EnumOption[],
  attributes: FieldAttributes = {},
): Datapoint {
  return field(id, label, { type: 'enum', options, ...attributes });
}

/** A column of a table: `rir_field_names` is the engine's name of the column. */
export function column(id: string, label: string, engineName: string, attributes: FieldAttributes = {}): Datapoint {
  return field(id, label, { rir_field_names: [engineName], width: 20, ...attributes });
}

export function numberColumn(
  id: string,
  label: string,
  engineName: string,
  attributes: FieldAttributes = {},
): Datapoint {
  return numberField(id, label, { rir_field_names: [engineName], width: 8, ...attributes });
}

/** A table that takes its rows from the engine's table of the same name. */
export function table(id: string, label: string, rowId: string, rowLabel: string, columns: Datapoint[]): Multivalue {
  return {
    category: 'multivalue',
    id,
    label,
    rir_field_names: [id],
    children: { category: 'tuple', id: rowId, label: rowLabel, children: columns },
  };
}

export function section(id: string, label: string, children: Section['children']): Section {
  return { category: 'section', id, label, children };
}

export function options(labels: Readonly<Record<string, string>>): EnumOption[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
