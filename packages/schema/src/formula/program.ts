import { Monty, MontyError, MontyRuntimeError, MontySyntaxError } from '@pydantic/monty';
import { Decimal } from 'decimal.js';
import { FormulaError } from './tokens';
import { type FormulaInput, RESULT, TODAY, type Translation, translateFormula } from './translate';

/** Longest result in characters. API: schemas.md section 8. */
const MAX_RESULT_LENGTH = 64 * 1024;
/** API: schemas.md section 8. */
const LIMITS = { maxDurationSecs: 0.1, maxMemory: 8 * 1024 * 1024, maxRecursionDepth: 100 };
/** How often a formula is run whose time went by while others had the processor. */
const MOST_RUNS = 3;
const MAX_EFFECTS = 100;

/** Functions of the language that the evaluator does not bring along, and values that it cannot be given as they are. */
const PRELUDE = `import re, math, datetime
from datetime import date, timedelta
def is_empty(x):
    return [is_empty(v) for v in x] if isinstance(x, list) and x else x is None or x == '' or x == []
def is_set(x):
    return [is_set(v) for v in x] if isinstance(x, list) and x else not is_empty(x)
def default_to(x, d):
    return [default_to(v, d) for v in x] if isinstance(x, list) else d if is_empty(x) else x
def substitute(pattern, repl, s):
    return re.sub(pattern, repl, s)
def _next(xs, *default):
    for x in xs:
        return x
    if default:
        return default[0]
    raise StopIteration
def _number(v):
    return None if v == '' else float(v)
def _day(v):
    return None if v == '' else v
${RESULT} = None
`;

/** A value as the evaluator takes it. */
export type FormulaValue = string | number | boolean | null | Day | Row | FormulaValue[];

interface Day {
  __monty_type__: 'Date';
  year: number;
  month: number;
  day: number;
}

/** Something with attributes. */
interface Row {
  __monty_type__: 'Dataclass';
  name: string;
  typeId: bigint;
  fieldNames: string[];
  fields: Record<string, FormulaValue>;
  frozen: boolean;
}

/** How an input is turned into what the language promises; `''` stands for no value. */
export type Conversion = 'none' | 'number' | 'day';

/** Something that a formula says beside its result. */
export interface Effect {
  name: string;
  text: string;
  /** Schema id of the field that it is about. */
  target: string | null;
}

/** How an evaluation ended. */
export type Outcome =
  | { value: string; effects: Effect[]; error?: undefined }
  | { error: string; line: number; effects: Effect[]; isLimit: boolean };

/** A formula that can be evaluated. */
export interface Program {
  inputs: readonly FormulaInput[];
  attributes: Translation['attributes'];
  run(inputs: ReadonlyMap<FormulaInput, FormulaValue>, today: string): Outcome;
}

/** An object with attributes, of which those that end up in the map are converted. */
export function makeRow(fields: Record<string, FormulaValue>): Row {
  return {
    __monty_type__: 'Dataclass',
    name: 'row',
    typeId: 1n,
    fieldNames: Object.keys(fields),
    fields,
    frozen: false,
  };
}

/** A day out of `YYYY-MM-DD`. */
export function makeDay(iso: string): Day {
  const [year = 1, month = 1, day = 1] = iso.split('-').map(Number);
  return { __monty_type__: 'Date', year, month, day };
}

/**
 * Makes a formula ready to be evaluated: in a sandbox, with limits of time and memory.
 *
 * @param convert how an input is converted, or the columns of its rows
 * @throws FormulaError when it is not Python, or does what is not available
 */
export function compileFormula(
  formula: string,
  convert: (input: FormulaInput, translation: Translation) => Conversion | Record<string, Conversion> = () => 'none',
): Program {
  const translation = translateFormula(formula);
  const conversions = translation.inputs.map((input) => convertInput(input, convert(input, translation)));
  const head = PRELUDE + conversions.join('');
  const headLines = head.split('\n').length - 1;
  const variables = [TODAY, ...translation.inputs.map(({ variable }) => variable)];
  const lines = { before: headLines, own: formula.split('\n').length };
  const program = parse(`${head}${translation.code}\n${RESULT}\n`, variables, lines);
  return {
    inputs: translation.inputs,
    attributes: translation.attributes,
    run(inputs, today) {
      const values: Record<string, FormulaValue> = { [TODAY]: makeDay(today) };
      for (const [{ variable }, value] of inputs) values[variable] = value;
      const runOnce = (): Outcome => {
        const effects: Effect[] = [];
        try {
          const externalFunctions = collectEffects(effects);
          const result = program.run({ inputs: values, limits: LIMITS, printCallback: () => {}, externalFunctions });
          return { value: toText(result), effects };
        } catch (error) {
          return { ...describe(error, headLines), effects };
        }
      };
      for (let runs = 1; ; runs++) {
        const before = process.cpuUsage();
        const outcome = runOnce();
        const wasHeldUp = outcome.error === TOO_SLOW && secondsSince(before) < 0.9 * LIMITS.maxDurationSecs;
        if (!wasHeldUp || runs === MOST_RUNS) return outcome;
      }
    },
  };
}

/** The text of what is wrong with a formula, or null. */
export function findFormulaProblem(formula: string): string | null {
  try {
    compileFormula(formula);
    return null;
  } catch (error) {
    if (error instanceof FormulaError) return error.message;
    throw error;
  }
}

function parse(code: string, inputs: string[], lines: { before: number; own: number }): Monty {
  try {
    return new Monty(code, { inputs });
  } catch (error) {
    if (!(error instanceof MontyError)) throw error;
    const at = error instanceof MontyRuntimeError ? lineOf(error, lines.before) : lineOfSyntax(error) - lines.before;
    // What is not closed is noticed behind the end.
    const line = Math.min(at, lines.own);
    const text = error
      .display('msg')
      .replaceAll('The monty syntax parser does not yet support', 'This is not available:')
      .replaceAll(' in Monty', ' here');
    throw new FormulaError(`The formula cannot be evaluated${line > 0 ? `, line ${line}` : ''}: ${text}`);
  }
}

function convertInput({ kind, variable }: FormulaInput, conversion: Conversion | Record<string, Conversion>): string {
  if (typeof conversion === 'string') {
    if (conversion === 'none') return '';
    const call = (value: string) => `_${conversion}(${value})`;
    return kind === 'all' ? `${variable} = [${call('v')} for v in ${variable}]\n` : `${variable} = ${call(variable)}\n`;
  }
  const columns = Object.entries(conversion).filter(([, kind]) => kind !== 'none');
  if (columns.length === 0) return '';
  const lines = columns.map(([column, kind]) => `    _row.${column} = _${kind}(_row.${column})\n`);
  return `for _row in ${variable}:\n${lines.join('')}`;
}

function collectEffects(effects: Effect[]): Record<string, (...args: unknown[]) => null> {
  const collect =
    (name: string) =>
    (text: unknown, given: unknown = null): null => {
      if (effects.length >= MAX_EFFECTS) return null;
      // A named argument comes as an object of names.
      const target = given !== null && typeof given === 'object' && 'field' in given ? given.field : given;
      const isId = typeof target === 'string' && target !== '';
      effects.push({ name, text: shown(text), target: isId ? target : null });
      return null;
    };
  const names = ['show_error', 'show_warning', 'show_info', 'automation_blocker'];
  return Object.fromEntries(names.map((name) => [name, collect(name)]));
}

function shown(value: unknown): string {
  try {
    return toText(value);
  } catch {
    return 'A message is a text.';
  }
}

/** A result as it is written into a field. API: schemas.md section 8. */
function toText(result: unknown): string {
  if (result === null || result === undefined) return '';
  if (typeof result === 'string') {
    if (result.length > MAX_RESULT_LENGTH) throw new LimitError('The result is longer than 64 kB.');
    return result;
  }
  if (typeof result === 'boolean') return result ? 'True' : 'False';
  if (typeof result === 'bigint') return result.toString();
  if (typeof result === 'number') return numberToText(result);
  const day = result as Partial<Day>;
  if (day.__monty_type__ === 'Date') {
    const pad = (value: number, length: number) => String(value).padStart(length, '0');
    return `${pad(day.year!, 4)}-${pad(day.month!, 2)}-${pad(day.day!, 2)}`;
  }
  throw new LimitError('The result is neither text, number, date nor true or false.');
}

function numberToText(value: number): string {
  if (!Number.isFinite(value)) throw new LimitError('The result is no finite number.');
  if (Number.isInteger(value)) return BigInt(value).toString();
  // Fractions are binary: beyond 15 digits there is nothing that was meant.
  return new Decimal(value.toPrecision(15)).toFixed();
}

/** Seconds of the processor that this process has had. The evaluator counts those on the clock. */
function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const TOO_SLOW = 'It takes longer than 100 ms.';

class LimitError extends Error {}

function describe(error: unknown, headLines: number): { error: string; line: number; isLimit: boolean } {
  if (error instanceof LimitError) return { error: error.message, line: 0, isLimit: false };
  if (!(error instanceof MontyError)) throw error;
  const line = error instanceof MontyRuntimeError ? lineOf(error, headLines) : 0;
  const { typeName } = error.exception;
  if (typeName === 'TimeoutError') return { error: TOO_SLOW, line, isLimit: true };
  if (typeName === 'MemoryError') return { error: 'It needs more than 8 MB of memory.', line, isLimit: true };
  return { error: error.display('type-msg'), line, isLimit: false };
}

/** Line of the code that cannot be parsed, from 1; 0 when it is not known. Only the text of the traceback tells it. */
function lineOfSyntax(error: MontyError): number {
  // Its types do not name this format.
  const traceback = error instanceof MontySyntaxError ? error.display('traceback' as 'msg') : '';
  return Number(/^ {2}File "[^"\n]*", line (\d+)$/m.exec(traceback)?.[1] ?? 0);
}

/** Line in the formula of the outermost call that failed, from 1; 0 when it is not known. */
function lineOf(error: MontyRuntimeError, headLines: number): number {
  return Math.max(0, (error.traceback()[0]?.line ?? 0) - headLines);
}
