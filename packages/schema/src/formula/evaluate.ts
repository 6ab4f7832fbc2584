import type { ContentChange } from '../content/content-change';
import type { ContentNode, DatapointContent } from '../content/content-node';
import { MAX_VALUE_LENGTH } from '../content/content-node';
import { groupByParent } from '../content/content-tree';
import type { ContentMessage, FormulaDetail } from '../content/message';
import { normalizeValue } from '../formats/normalize-value';
import type { Datapoint, Multivalue, SchemaContent } from '../schema-content';
import { type SchemaIndex, schemaIndex } from '../schema-index';
import {
  type Conversion,
  compileFormula,
  type Effect,
  type FormulaValue,
  makeDay,
  makeRow,
  type Outcome,
  type Program,
} from './program';
import { FormulaError } from './tokens';
import type { FormulaInput } from './translate';

/** How formulas are evaluated. */
export interface FormulaOptions {
  /** What `date.today()` answers: `YYYY-MM-DD`. */
  today: string;
  /** Milliseconds for all formulas together; those that it does not reach fail. Default 1000. */
  budgetMs?: number;
}

/** What the formulas of an annotation came to. */
export interface FormulaResult {
  /** All nodes, with what the formulas gave. */
  nodes: ContentNode[];
  /** Those that differ from before. */
  changed: ContentNode[];
  /** Failures, and what the formulas say. */
  messages: ContentMessage[];
  /** Why a formula wants the document to be seen by a person. */
  blockers: { /** Node id as text, or `all`. */ id: string; content: string }[];
}

const BUDGET_MS = 1000;
const MAX_MESSAGE_LENGTH = 4096;
const MESSAGE_TYPES: Readonly<Record<string, ContentMessage['type']>> = {
  show_error: 'error',
  show_warning: 'warning',
  show_info: 'info',
};
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** Whether the value of a datapoint comes from its formula. */
export function isFormula(datapoint: Datapoint): boolean {
  return datapoint.ui_configuration?.type === 'formula';
}

/**
 * Evaluates every formula field of an annotation, in the order in which they read each other; in a table once per row. A
 * failing one is empty and gives an error message; so is each on a cycle. Fields whose recalculation was stopped are left
 * alone. No formula takes more than 100 ms and 8 MB. API: schemas.md section 8.
 */
export function evaluateFormulas(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  options: FormulaOptions,
): FormulaResult {
  const { index, programs } = prepareFormulas(schema);
  if (programs.size === 0) return { nodes: [...nodes], changed: [], messages: [], blockers: [] };
  const run = new Evaluation(index, nodes, options);
  for (const [id, compiled] of programs) run.evaluate(index.datapoints.get(id)!, compiled);
  return run.finish();
}

/** Whether a write of this datapoint can change what a formula of the schema gives: it is one, or one reads it. */
export function concernsFormulas(schema: SchemaContent, schemaId: string): boolean {
  return prepareFormulas(schema).concerned.has(schemaId);
}

/** The formulas of a schema, ready to be evaluated. */
interface Prepared {
  readonly index: SchemaIndex;
  /** By schema id, those that are read before those that read them. */
  readonly programs: ReadonlyMap<string, Compiled>;
  /** Ids of the fields that are formulas or are read by some. */
  readonly concerned: ReadonlySet<string>;
}

/** A schema is parsed once and used for many writes. */
const prepared = new WeakMap<SchemaContent, Prepared>();

function prepareFormulas(schema: SchemaContent): Prepared {
  const known = prepared.get(schema);
  if (known) return known;
  const index = schemaIndex(schema);
  const formulas = [...index.datapoints.values()].filter(isFormula);
  const compiled = new Map(formulas.map((datapoint) => [datapoint.id, compile(index, datapoint)]));
  const { order, cyclic } = sortByDependency(index, compiled);
  const made = {
    index,
    programs: new Map(order.map((id) => [id, cyclic.has(id) ? CYCLE : compiled.get(id)!])),
    concerned: new Set([...compiled].flatMap(([id, program]) => [id, ...readBy(index, id, program)])),
  };
  prepared.set(schema, made);
  return made;
}

function compile(index: SchemaIndex, datapoint: Datapoint): Compiled {
  try {
    const program = compileFormula(datapoint.formula ?? '', (input, { attributes }) =>
      conversionOf(index, datapoint, input, attributes),
    );
    for (const input of program.inputs) {
      const problem = findProblem(index, datapoint, input);
      if (problem) return { problem, line: input.line };
    }
    return program;
  } catch (error) {
    if (error instanceof FormulaError) return { problem: error.message, line: 0 };
    throw error;
  }
}

/**
 * A write together with what the formulas make of it.
 *
 * @param before the nodes as they were before the write
 */
export function withFormulas(
  schema: SchemaContent,
  before: readonly ContentNode[],
  change: ContentChange,
  options: FormulaOptions,
): { change: ContentChange; messages: ContentMessage[] } {
  const { nodes, changed, messages } = evaluateFormulas(schema, change.nodes, options);
  if (changed.length === 0) return { change, messages };
  const computed = new Map(changed.map((node) => [node.id, node]));
  const old = new Map(before.map((node) => [node.id, node]));
  const current = (node: ContentNode) => computed.get(node.id) ?? node;
  const added = change.added.map(current);
  const addedIds = new Set(added.map(({ id }) => id));
  const touched = new Map(
    [...change.changed.map(current), ...changed].filter(({ id }) => !addedIds.has(id)).map((node) => [node.id, node]),
  );
  const differs = (node: ContentNode) => JSON.stringify(node) !== JSON.stringify(old.get(node.id));
  return { change: { ...change, nodes, added, changed: [...touched.values()].filter(differs) }, messages };
}

/** A formula, or why it cannot be evaluated. */
type Compiled = Program | { problem: string; line: number };

const CYCLE: Compiled = { problem: 'The formula depends on itself.', line: 0 };
const OVER_BUDGET: Outcome = { error: 'The formulas take too long together.', line: 0, effects: [], isLimit: true };

class Evaluation {
  private readonly nodes: Map<number, ContentNode>;
  private readonly bySchemaId = new Map<string, ContentNode[]>();
  private readonly children: ReadonlyMap<number | null, readonly ContentNode[]>;
  private readonly inRows = new Map<Multivalue, ReadonlyMap<string, readonly number[]>>();
  private readonly changed = new Map<number, ContentNode>();
  private readonly messages: ContentMessage[] = [];
  private readonly blockers: FormulaResult['blockers'] = [];
  private readonly end: number;

  constructor(
    private readonly index: SchemaIndex,
    nodes: readonly ContentNode[],
    private readonly options: FormulaOptions,
  ) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    this.children = groupByParent(nodes);
    for (const node of nodes) {
      const same = this.bySchemaId.get(node.schemaId);
      if (same) same.push(node);
      else this.bySchemaId.set(node.schemaId, [node]);
    }
    this.end = performance.now() + (options.budgetMs ?? BUDGET_MS);
  }

  evaluate(datapoint: Datapoint, compiled: Compiled): void {
    let isTooSlow = false;
    for (const found of this.bySchemaId.get(datapoint.id) ?? []) {
      const node = this.nodes.get(found.id)!;
      if (!node.content || node.noRecalculation) continue;
      let outcome: Outcome;
      if ('problem' in compiled)
        outcome = { error: compiled.problem, line: compiled.line, effects: [], isLimit: false };
      else if (isTooSlow || performance.now() > this.end) outcome = OVER_BUDGET;
      else outcome = compiled.run(this.inputsOf(datapoint, node, compiled), this.options.today);
      // What ran into a limit in one row does so in the others.
      isTooSlow ||= outcome.error !== undefined && outcome.isLimit;
      this.write(datapoint, node, node.content, outcome);
    }
  }

  finish(): FormulaResult {
    return {
      nodes: [...this.nodes.values()],
      changed: [...this.changed.values()],
      messages: this.messages,
      blockers: this.blockers,
    };
  }

  private write(datapoint: Datapoint, node: ContentNode, content: DatapointContent, outcome: Outcome): void {
    const result = outcome.error === undefined ? toContent(datapoint, node, outcome.value) : EMPTY;
    const error = outcome.error ?? ('error' in result ? result.error : undefined);
    const { value, normalizedValue } = 'error' in result ? EMPTY : result;
    if (error !== undefined) {
      const line = outcome.error === undefined ? 0 : outcome.line;
      this.messages.push(message(String(node.id), 'error', error, detailOf(node, true, line)));
    }
    for (const effect of outcome.effects) this.tell(node, effect);
    if (value === content.value && normalizedValue === content.normalizedValue) return;
    const after = { ...node, content: { ...content, value, normalizedValue }, validationSources: [] };
    this.nodes.set(node.id, after);
    this.changed.set(node.id, after);
  }

  private tell(node: ContentNode, { name, text, target }: Effect): void {
    const id = target === null ? 'all' : this.targetOf(node, target);
    const type = MESSAGE_TYPES[name];
    if (type) this.messages.push(message(id, type, text, detailOf(node, false, 0)));
    else this.blockers.push({ id, content: text.slice(0, MAX_MESSAGE_LENGTH) });
  }

  /** The cell of the same row, or the only field of that id; a column without a row means the document. */
  private targetOf(node: ContentNode, id: string): string {
    const found = this.bySchemaId.get(id) ?? [];
    const sibling = found.find((one) => one.parentId === node.parentId);
    if (sibling) return String(sibling.id);
    const inTable = this.index.multivalueOf(id) !== null && this.index.nodes.get(id)?.category !== 'multivalue';
    return !inTable && found[0] ? String(found[0].id) : 'all';
  }

  private inputsOf(
    formula: Datapoint,
    node: ContentNode,
    { inputs, attributes }: Program,
  ): Map<FormulaInput, FormulaValue> {
    return new Map(inputs.map((input) => [input, this.valueOf(formula, node, input, attributes)]));
  }

  private valueOf(
    formula: Datapoint,
    node: ContentNode,
    { kind, id, attribute }: FormulaInput,
    attributes: ReadonlySet<string>,
  ): FormulaValue {
    if (kind === 'index') return this.rowNumberOf(node);
    if (kind === 'all') return this.all(id).map((one) => typedValue(this.index.datapoints.get(id)!, one));
    const schemaNode = this.index.nodes.get(id)!;
    if (schemaNode.category !== 'datapoint') return this.rowsOf(id, columnsOf(this.index, id, attributes, formula.id));
    const found = this.bySchemaId.get(id) ?? [];
    const inTable = this.index.multivalueOf(id) !== null;
    const row = inTable ? (this.children.get(node.parentId) ?? []) : [];
    const one = inTable ? row.find(({ schemaId }) => schemaId === id) : found[0];
    const current = one && this.nodes.get(one.id);
    return kind === 'attribute' ? attributeOf(schemaNode, current, attribute) : typedValue(schemaNode, current);
  }

  /** Number of the row, or of the item of a list, from 0. */
  private rowNumberOf(node: ContentNode): number {
    const parent = node.parentId === null ? undefined : this.nodes.get(node.parentId);
    const item = parent?.category === 'tuple' ? parent : node;
    return (this.children.get(item.parentId) ?? []).findIndex(({ id }) => id === item.id);
  }

  /** All nodes of an id in the order of their rows. */
  private all(id: string): ContentNode[] {
    const multivalue = this.index.multivalueOf(id);
    const ids = multivalue ? this.idsInRows(multivalue).get(id) : undefined;
    return (ids ?? []).map((one) => this.nodes.get(one)!);
  }

  /** Ids of the datapoints of a list or table by schema id, in the order of its rows. */
  private idsInRows(multivalue: Multivalue): ReadonlyMap<string, readonly number[]> {
    const known = this.inRows.get(multivalue);
    if (known) return known;
    const found = new Map<string, number[]>();
    for (const table of this.bySchemaId.get(multivalue.id) ?? []) {
      for (const item of this.children.get(table.id) ?? []) {
        const cells = item.category === 'datapoint' ? [item] : (this.children.get(item.id) ?? []);
        for (const { id, schemaId } of cells) {
          const same = found.get(schemaId);
          if (same) same.push(id);
          else found.set(schemaId, [id]);
        }
      }
    }
    this.inRows.set(multivalue, found);
    return found;
  }

  private rowsOf(id: string, columns: readonly Datapoint[]): FormulaValue[] {
    const multivalue = this.index.multivalueOf(id)!;
    if (multivalue.children.category === 'datapoint') {
      const item = multivalue.children;
      return this.all(item.id).map((one) => typedValue(item, one));
    }
    const tables = this.bySchemaId.get(multivalue.id) ?? [];
    return tables
      .flatMap((table) => this.children.get(table.id) ?? [])
      .map((row) => {
        const cells = new Map(
          (this.children.get(row.id) ?? []).map((cell) => [cell.schemaId, this.nodes.get(cell.id)]),
        );
        return makeRow(
          Object.fromEntries(columns.map((column) => [column.id, typedValue(column, cells.get(column.id))])),
        );
      });
  }
}

/** What is wrong with what a formula reads, or null. */
function findProblem(index: SchemaIndex, formula: Datapoint, { kind, id }: FormulaInput): string | null {
  const table = index.multivalueOf(formula.id);
  if (kind === 'index') return table ? null : 'Only a formula of a table has field._index.';
  const node = index.nodes.get(id);
  if (!node || node.category === 'section') return `The schema has no field "${id}".`;
  if (node.category !== 'datapoint') {
    return kind === 'value' ? null : `"${id}" is a list of rows and has neither values nor attributes.`;
  }
  const multivalue = index.multivalueOf(id);
  if (kind === 'all') return multivalue ? null : `"${id}" is in no table and has one value only.`;
  const isElsewhere = multivalue !== null && (multivalue !== table || !isCell(multivalue));
  return isElsewhere ? `"${id}" is in a table and has a value in each row: field.${id}.all_values.` : null;
}

function conversionOf(
  index: SchemaIndex,
  formula: Datapoint,
  { kind, id }: FormulaInput,
  attributes: ReadonlySet<string>,
): Conversion | Record<string, Conversion> {
  const node = index.nodes.get(id);
  if (!node || kind === 'attribute' || kind === 'index') return 'none';
  if (node.category === 'datapoint') return conversionFor(node);
  const item = index.multivalueOf(id)?.children;
  if (item?.category === 'datapoint') return 'none';
  const columns = columnsOf(index, id, attributes, formula.id);
  return Object.fromEntries(columns.map((column) => [column.id, conversionFor(column)]));
}

/** Whether the items of a multivalue are rows, whose cells see each other. */
function isCell(multivalue: Multivalue): boolean {
  return multivalue.children.category === 'tuple';
}

/** Columns of a table that a formula asks for by name; never itself. */
function columnsOf(index: SchemaIndex, id: string, asked: ReadonlySet<string>, self: string): Datapoint[] {
  const item = index.multivalueOf(id)?.children;
  if (item?.category !== 'tuple') return [];
  return item.children.filter((column) => asked.has(column.id) && column.id !== self && IDENTIFIER.test(column.id));
}

/** What kind of value a field has: that of its type, and of an enum what it says. */
function conversionFor(datapoint: Datapoint): Conversion {
  const type = datapoint.type === 'enum' ? (datapoint.enum_value_type ?? 'string') : datapoint.type;
  if (type === 'number') return 'number';
  return type === 'date' ? 'day' : 'none';
}

/** The value of a field as its conversion expects it; `''` when there is none. */
function typedValue(datapoint: Datapoint, node: ContentNode | undefined): FormulaValue {
  const content = node?.content;
  if (!content) return '';
  switch (conversionFor(datapoint)) {
    case 'number': {
      const number = Number(content.normalizedValue ?? '');
      return content.normalizedValue && Number.isFinite(number) ? number : '';
    }
    case 'day':
      return /^\d{4}-\d{2}-\d{2}$/.test(content.normalizedValue ?? '') ? makeDay(content.normalizedValue!) : '';
    default:
      return content.value;
  }
}

function attributeOf(datapoint: Datapoint, node: ContentNode | undefined, attribute: string): FormulaValue {
  const content = node?.content;
  switch (attribute) {
    case 'label':
      return datapoint.label;
    case 'id':
      return node?.id ?? null;
    case 'hidden':
      return node?.hidden ?? false;
    case 'validation_sources':
      return [...(node?.validationSources ?? [])];
    case 'options':
      return (node?.options ?? datapoint.options ?? []).map(({ value, label }) => makeRow({ value, label }));
    case 'value':
      return content?.value ?? '';
    case 'normalized_value':
      return content?.normalizedValue ?? null;
    case 'rir_confidence':
      return content?.rirConfidence ?? null;
    case 'rir_text':
      return content?.rirText ?? null;
    case 'page':
      return content?.page ?? null;
    default:
      return content?.position ? [...content.position] : null;
  }
}

const EMPTY = { value: '', normalizedValue: null };

function toContent(datapoint: Datapoint, node: ContentNode, text: string) {
  const result = normalizeValue(datapoint, text, { canonical: true, options: node.options });
  if (result.error === undefined) return result;
  return { error: `The result is longer than ${MAX_VALUE_LENGTH} characters.` };
}

/** Ids of the fields that a formula reads. */
function readBy(index: SchemaIndex, id: string, program: Compiled): string[] {
  const inputs = 'problem' in program ? [] : program.inputs.filter(({ kind }) => kind !== 'index');
  return inputs.flatMap((input) => {
    if (index.nodes.get(input.id)?.category === 'datapoint') return [input.id];
    const item = index.multivalueOf(input.id)?.children;
    if (item?.category === 'datapoint') return [item.id];
    return columnsOf(index, input.id, (program as Program).attributes, id).map((column) => column.id);
  });
}

/** Ids of formula fields, those that are read before those that read them; and those that read themselves by some way. */
function sortByDependency(index: SchemaIndex, compiled: ReadonlyMap<string, Compiled>) {
  const reads = new Map(
    [...compiled].map(([id, program]) => [id, readBy(index, id, program).filter((one) => compiled.has(one))]),
  );
  const order: string[] = [];
  const visited = new Set<string>();
  const visit = (id: string): void => {
    if (visited.has(id)) return;
    visited.add(id);
    for (const read of reads.get(id)!) visit(read);
    order.push(id);
  };
  for (const id of compiled.keys()) visit(id);
  return { order, cyclic: new Set(order.filter((id) => reaches(reads, id))) };
}

/** Whether a field reads itself, by whatever way. */
function reaches(reads: ReadonlyMap<string, readonly string[]>, id: string): boolean {
  const seen = new Set<string>();
  const open = [...reads.get(id)!];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === id) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...reads.get(next)!);
  }
  return false;
}

function message(id: string, type: ContentMessage['type'], content: string, detail: FormulaDetail): ContentMessage {
  return { id, type, content: content.slice(0, MAX_MESSAGE_LENGTH), detail };
}

function detailOf(node: ContentNode, isException: boolean, line: number): FormulaDetail {
  return {
    hook_id: null,
    hook_name: null,
    request_id: null,
    timestamp: null,
    is_exception: isException,
    traceback_line_number: line > 0 ? line : null,
    source_id: node.id,
    source_schema_id: node.schemaId,
  };
}
