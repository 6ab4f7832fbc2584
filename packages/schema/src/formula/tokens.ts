/** A piece of a formula's text. White space and comments are no tokens. */
export interface Token {
  kind: 'name' | 'number' | 'string' | 'operator' | 'newline';
  text: string;
  /** Offset in the formula. */
  start: number;
  end: number;
  /** How many brackets are open around it; a bracket is outside of itself. */
  depth: number;
}

/** A formula that cannot be evaluated, whatever it is given. */
export class FormulaError extends Error {
  override readonly name = 'FormulaError';
}

const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /(?:\d[\w]*\.?[\d_]*(?:[eE][+-]?\d+)?|\.\d[\d_]*(?:[eE][+-]?\d+)?)/y;
const STRING = /[rRbBfFuU]{0,2}('''|"""|'|")/y;
const BLANK = /(?:[ \t\f\r]|\\\r?\n|#[^\n]*)+/y;
const OPERATOR = /\*\*=|\/\/=|>>=|<<=|[-+*/%@&|^]=|:=|==|!=|<=|>=|->|\*\*|\/\/|<<|>>|[^\s]/uy;

/** Cuts a formula into tokens (Python's, as far as its names and statements are concerned). Throws {@link FormulaError}. */
export function tokenize(code: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(code);
  };
  const push = (kind: Token['kind'], end: number) => {
    const text = code.slice(at, end);
    if (kind === 'operator' && ')]}'.includes(text)) depth = Math.max(0, depth - 1);
    tokens.push({ kind, text, start: at, end, depth });
    if (kind === 'operator' && '([{'.includes(text)) depth += 1;
    at = end;
  };
  while (at < code.length) {
    const blank = match(BLANK);
    if (blank) {
      at += blank[0].length;
      continue;
    }
    if (code[at] === '\n') {
      if (depth === 0) push('newline', at + 1);
      else at += 1;
      continue;
    }
    const string = match(STRING);
    if (string) {
      push('string', endOfString(code, at + string[0].length, string[1]!));
      continue;
    }
    const [kind, found] = match(NAME) ? (['name', match(NAME)] as const) : (['number', match(NUMBER)] as const);
    if (found) push(kind, at + found[0].length);
    else push('operator', at + (match(OPERATOR)?.[0].length ?? 1));
  }
  return tokens;
}

function endOfString(code: string, from: number, quote: string): number {
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code.startsWith(quote, at)) return at + quote.length;
    else if (code[at] === '\n' && quote.length === 1) break;
  }
  throw new FormulaError('A text in quotes has no end.');
}
