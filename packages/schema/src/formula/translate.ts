import { FormulaError, type Token, tokenize } from './tokens';

/** What a formula reads of the content, and the variable it is given in. */
export interface FormulaInput {
  /** `value`: of a field; `all`: of all rows; `attribute`: see `attribute`; `index`: number of the row. */
  kind: 'value' | 'all' | 'attribute' | 'index';
  /** Id in the schema; empty for `index`. */
  id: string;
  attribute: string;
  variable: string;
  /** Where the formula reads it, from 1. */
  line: number;
}

/** A formula as the evaluator takes it. */
export interface Translation {
  /** Same lines as the formula; the result is left in {@link RESULT}. */
  code: string;
  inputs: FormulaInput[];
  /** Names behind a dot: the columns that rows can be asked for are among them. */
  attributes: ReadonlySet<string>;
}

/** Variable that holds the value of the last expression. */
export const RESULT = '_result';
/** Variable that holds the day of the evaluation. */
export const TODAY = '_today';

/** API: schemas.md section 8. */
export const ATTRIBUTES = [
  'value',
  'normalized_value',
  'rir_confidence',
  'rir_text',
  'page',
  'position',
  'validation_sources',
  'hidden',
  'options',
  'label',
  'id',
];
/** Functions whose second argument names a field. */
export const SIDE_EFFECTS = ['show_error', 'show_warning', 'show_info', 'automation_blocker'] as const;

const MODULES = ['datetime', 're', 'math'];
const TYPES = ['str', 'int', 'float', 'bool', 'list', 'dict', 'tuple', 'date'];
const COMPOUND = ['if', 'elif', 'else', 'for', 'while', 'try', 'except', 'finally', 'with', 'def', 'class', 'async'];
const PLAIN = ['pass', 'break', 'continue', 'return', 'raise', 'del', 'global', 'nonlocal', 'assert', 'import', 'from'];
const ASSIGNMENT = /^(?:=|(?:\*\*|\/\/|>>|<<|[-+*/%@&|^])=)$/;
const COMPUTES = ['+', '-', '*', '/', '//', '%', '**', '==', '!=', '<', '>', '<=', '>='];

interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * Rewrites a formula for the evaluator, which knows no `field`: what is read of it becomes variables, and the value of the
 * last expression statement that is executed is kept. Throws {@link FormulaError}. API: schemas.md section 8.
 */
export function translateFormula(formula: string): Translation {
  const translator = new Translator(formula);
  translator.rewrite(formula, 0);
  translator.keepResult(tokenize(formula));
  return { code: translator.finish(), inputs: [...translator.inputs.values()], attributes: translator.attributes };
}

class Translator {
  readonly inputs = new Map<string, FormulaInput>();
  readonly attributes = new Set<string>();
  private readonly edits: Edit[] = [];

  constructor(private readonly formula: string) {}

  finish(): string {
    let code = '';
    let at = 0;
    for (const { start, end, text } of this.edits.sort(
      (one, other) => one.start - other.start || one.end - other.end,
    )) {
      code += this.formula.slice(at, start) + text;
      at = end;
    }
    return code + this.formula.slice(at);
  }

  /** Rewrites the expressions of a part of the formula; `offset` is where the part begins. */
  rewrite(part: string, offset: number): void {
    const tokens = tokenize(part);
    for (let i = 0; i < tokens.length; i += 1) {
      const token = tokens[i]!;
      if (token.kind === 'string') this.rewriteString(token, offset);
      if (token.kind !== 'name') continue;
      if (isText(tokens[i - 1], '.')) {
        this.attributes.add(token.text);
        if (token.text === 'format' && isText(tokens[i + 1], '(')) {
          throw new FormulaError('The method "format" is not available: write f"{value}".');
        }
      } else i = this.rewriteName(tokens, i, offset);
    }
  }

  /** Rewrites what begins with a name; answers the place of the last token that it has taken. */
  private rewriteName(tokens: readonly Token[], i: number, offset: number): number {
    const token = tokens[i]!;
    const replace = (last: number, text: string): number => {
      this.edits.push({ start: offset + token.start, end: offset + tokens[last]!.end, text });
      return last;
    };
    if (token.text === 'field' && !(isText(tokens[i + 1], '=') && token.depth > 0)) {
      return this.rewriteField(tokens, i, offset, replace);
    }
    if (token.text === 'next' && isText(tokens[i + 1], '(')) return replace(i, '_next');
    const day = token.text === 'datetime' && isText(tokens[i + 1], '.') ? i + 2 : i;
    if (isText(tokens[day], 'date') && hasTexts(tokens, day + 1, ['.', 'today', '(', ')']))
      return replace(day + 4, TODAY);
    if (TYPES.includes(token.text) && isText(tokens[i + 1], '|')) {
      const names = [token.text];
      let last = i;
      while (isText(tokens[last + 1], '|') && TYPES.includes(tokens[last + 2]?.text ?? '')) {
        last += 2;
        names.push(tokens[last]!.text);
      }
      return replace(last, `(${names.join(', ')},)`);
    }
    return i;
  }

  private rewriteField(
    tokens: readonly Token[],
    i: number,
    offset: number,
    replace: (last: number, text: string) => number,
  ): number {
    const name = tokens[i + 2];
    if (!isText(tokens[i + 1], '.') || name?.kind !== 'name') {
      throw new FormulaError('"field" is followed by a dot and the id of a field: field.amount_total.');
    }
    if (isTarget(tokens, i)) return replace(i + 2, JSON.stringify(name.text));
    const at = offset + tokens[i]!.start;
    if (name.text === '_index') return replace(i + 2, this.input('index', '', '', at));
    if (hasTexts(tokens, i + 3, ['.', 'attr', '.'])) {
      const attribute = tokens[i + 6]?.text ?? '';
      if (!ATTRIBUTES.includes(attribute)) throw new FormulaError(`There is no attribute "${attribute}" of fields.`);
      return replace(i + 6, this.input('attribute', name.text, attribute, at));
    }
    if (hasTexts(tokens, i + 3, ['.', 'all_values'])) {
      const before = tokens[i - 1];
      const isSpread = isText(before, '*') && ['(', ',', '['].includes(tokens[i - 2]?.text ?? '');
      if ((computes(before) && !isSpread) || computes(tokens[i + 5])) {
        throw new FormulaError('Lists are computed with value by value: [x * 2 for x in field.amount.all_values].');
      }
      return replace(i + 4, this.input('all', name.text, '', at));
    }
    return replace(i + 2, this.input('value', name.text, '', at));
  }

  private input(kind: FormulaInput['kind'], id: string, attribute: string, at: number): string {
    const key = JSON.stringify([kind, id, attribute]);
    const known = this.inputs.get(key);
    if (known) return known.variable;
    const variable = `_field_${this.inputs.size}`;
    const line = this.formula.slice(0, at).split('\n').length;
    this.inputs.set(key, { kind, id, attribute, variable, line });
    return variable;
  }

  /** Expressions in the braces of an f-string. */
  private rewriteString({ text, start }: Token, offset: number): void {
    const quote = text.search(/['"]/);
    if (!/f/i.test(text.slice(0, quote))) return;
    for (let at = quote; at < text.length; at += 1) {
      if (text[at] !== '{') continue;
      if (text[at + 1] === '{') {
        at += 1;
        continue;
      }
      const end = endOfBraces(text, at);
      this.rewrite(text.slice(at + 1, end), offset + start + at + 1);
      at = end;
    }
  }

  /** Keeps the values of the expression statements, and checks the others. */
  keepResult(tokens: readonly Token[]): void {
    let statement: Token[] = [];
    for (const token of tokens) {
      if (token.kind === 'newline' || (token.text === ';' && token.depth === 0)) {
        this.keepResultOf(statement);
        statement = [];
      } else statement.push(token);
    }
    this.keepResultOf(statement);
  }

  private keepResultOf(statement: readonly Token[]): void {
    const [first] = statement;
    if (!first) return;
    const colon = findColon(statement);
    if (first.kind === 'name' && COMPOUND.includes(first.text)) {
      if (colon >= 0) this.keepResultOf(statement.slice(colon + 1));
      return;
    }
    if (first.kind === 'name' && (first.text === 'import' || first.text === 'from')) checkImport(statement);
    if (first.kind === 'name' && PLAIN.includes(first.text)) return;
    const assigns = statement.some(
      ({ depth, kind, text }) => depth === 0 && kind === 'operator' && ASSIGNMENT.test(text),
    );
    if (assigns && first.text === 'field') {
      throw new FormulaError('Field formulas must not modify values of other fields.');
    }
    if (!assigns && colon < 0) this.edits.push({ start: first.start, end: first.start, text: `${RESULT} = ` });
  }
}

/** Whether the field is the second argument of a message, which wants the field and not its value. */
function isTarget(tokens: readonly Token[], i: number): boolean {
  const { depth } = tokens[i]!;
  if (!isText(tokens[i + 3], ')')) return false;
  const before = tokens.slice(0, i);
  const open = before.findLastIndex((token) => token.text === '(' && token.depth === depth - 1);
  const named = isText(tokens[i - 1], '=') && isText(tokens[i - 2], 'field') ? i - 2 : i;
  const commas = before.slice(open).filter((token) => token.text === ',' && token.depth === depth);
  const isCall = (SIDE_EFFECTS as readonly string[]).includes(tokens[open - 1]?.text ?? '');
  return isCall && commas.length === 1 && isText(tokens[named - 1], ',');
}

/** The colon that ends the head of a statement, or stands before an annotation. */
function findColon(statement: readonly Token[]): number {
  let lambdas = 0;
  return statement.findIndex(({ depth, text, kind }) => {
    if (depth > 0) return false;
    if (kind === 'name' && text === 'lambda') lambdas += 1;
    if (text !== ':') return false;
    lambdas -= 1;
    return lambdas < 0;
  });
}

function checkImport([first, ...rest]: readonly Token[]): void {
  const named = first!.text === 'from' ? rest.slice(0, 1) : rest.filter((_, i) => i === 0 || rest[i - 1]!.text === ',');
  const unknown = named.find(({ text }) => !MODULES.includes(text));
  if (unknown || named.length === 0) {
    throw new FormulaError(`Only ${MODULES.join(', ')} can be imported, not ${unknown?.text ?? 'nothing'}.`);
  }
}

function endOfBraces(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if ('([{'.includes(text[at]!)) depth += 1;
    else if (')]}'.includes(text[at]!)) depth -= 1;
    if (depth === 0) return at;
  }
  throw new FormulaError('A brace of an f-string is not closed.');
}

const isText = (token: Token | undefined, text: string) => token?.text === text && token.kind !== 'string';
const hasTexts = (tokens: readonly Token[], from: number, texts: readonly string[]) =>
  texts.every((text, i) => isText(tokens[from + i], text));
const computes = (token: Token | undefined) => token?.kind === 'operator' && COMPUTES.includes(token.text);
