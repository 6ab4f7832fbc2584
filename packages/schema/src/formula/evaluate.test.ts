import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { checkSchemaContent } from '../checking/check-schema';
import { type ContentNode, emptyContent } from '../content/content-node';
import { newNode } from '../content/new-node';
import { applyOperations } from '../content/operations';
import { normalizeValue } from '../formats/normalize-value';
import type { Datapoint, SchemaContent } from '../schema-content';
import { childrenOf } from '../schema-index';
import { evaluateFormulas, withFormulas } from './evaluate';

type Given = Partial<Datapoint> & { id: string };

const field = (given: Given): Datapoint => ({ category: 'datapoint', type: 'string', label: given.id, ...given });
const formula = (id: string, code: string, more: Partial<Datapoint> = {}): Datapoint =>
  field({ id, formula: code, ui_configuration: { type: 'formula' }, ...more });
const number = (id: string, more: Partial<Datapoint> = {}) => field({ id, type: 'number', ...more });

/** A header, a table `items` and a list `notes`. */
const schemaOf = (
  header: Datapoint[],
  columns: Datapoint[] = [],
  item: Datapoint = field({ id: 'note' }),
): SchemaContent => [
  {
    category: 'section',
    id: 'section',
    label: 'Section',
    children: [
      ...header,
      {
        category: 'multivalue',
        id: 'items',
        label: 'Items',
        children: { category: 'tuple', id: 'item', label: 'Item', children: [field({ id: 'text' }), ...columns] },
      },
      { category: 'multivalue', id: 'notes', label: 'Notes', children: item },
    ],
  },
];

/** Content with these values, as they are written in the fields. */
function contentOf(
  schema: SchemaContent,
  values: Record<string, string>,
  rows: Record<string, string>[] = [],
  notes: string[] = [],
) {
  const nodes: ContentNode[] = [];
  const add = (
    schemaNode: Parameters<typeof newNode>[0],
    parentId: number | null,
    index: number,
    value = '',
  ): ContentNode => {
    const node = newNode(schemaNode, nodes.length + 1, parentId, index);
    if (schemaNode.category === 'datapoint' && node.content) {
      const written = normalizeValue(schemaNode, value);
      node.content = { ...emptyContent(), ...('value' in written ? written : {}) };
    }
    nodes.push(node);
    return node;
  };
  const [section] = schema;
  const top = add(section!, null, 0);
  section!.children.forEach((child, index) => {
    const node = add(child, top.id, index, values[child.id]);
    if (child.category !== 'multivalue') return;
    const { children: item } = child;
    if (item.category === 'datapoint') for (const [at, note] of notes.entries()) add(item, node.id, at, note);
    else
      rows.forEach((row, at) => {
        const tuple = add(item, node.id, at);
        for (const [place, cell] of childrenOf(item).entries()) add(cell, tuple.id, place, row[cell.id]);
      });
  });
  return nodes;
}

const OPTIONS = { today: '2026-11-21' };
const valuesOf = (nodes: readonly ContentNode[], id: string) =>
  nodes.filter(({ schemaId }) => schemaId === id).map(({ content }) => content?.value);

/** The value of a text field `result` with this formula. */
function evaluate(code: string, header: Datapoint[] = [], values: Record<string, string> = {}) {
  const schema = schemaOf([...header, formula('result', code)]);
  const { nodes, messages, blockers } = evaluateFormulas(schema, contentOf(schema, values), OPTIONS);
  return { value: valuesOf(nodes, 'result')[0], messages, blockers };
}

describe('the value of a formula', () => {
  const header = [
    number('amount', { format: '# ##0,#' }),
    number('missing'),
    field({ id: 'day', type: 'date', format: 'D. M. YYYY' }),
    field({ id: 'no_day', type: 'date' }),
    field({ id: 'name' }),
    field({ id: 'kind', type: 'enum', options: [{ value: '5', label: 'Five' }], enum_value_type: 'number' }),
  ];
  const values = { amount: '1 234,50', day: '5. 3. 2026', name: 'Žluťoučký', kind: '5' };

  it.each([
    ['field.amount', '1234.5'],
    ['field.amount * 2', '2469'],
    ['str(field.amount)', '1234.5'],
    ['0.1 + 0.2', '0.3'],
    ['10 ** 25', '10000000000000000000000000'],
    ['-7 // 2', '-4'],
    ['7 % 4', '3'],
    ['field.missing', ''],
    ['field.missing is None', 'True'],
    ['default_to(field.missing, 5)', '5'],
    ['is_empty(field.missing) and is_set(field.amount)', 'True'],
    ['isinstance(field.amount, float)', 'True'],
    ['isinstance(field.name, (str|int))', 'True'],
    ['field.day', '2026-03-05'],
    ['field.day.year + field.day.month', '2029'],
    ['field.day + timedelta(days=30)', '2026-04-04'],
    ['(field.day - date(2026, 3, 1)).days', '4'],
    ['field.day.strftime("%d/%m/%Y")', '05/03/2026'],
    ['"late" if field.day < date.today() else "in time"', 'late'],
    ['date.today()', '2026-11-21'],
    ['import datetime\ndatetime.date.today().isoformat()', '2026-11-21'],
    ['field.no_day', ''],
    ['field.no_day is None', 'True'],
    ['field.name.upper()', 'ŽLUŤOUČKÝ'],
    ['f"{field.name[:3]}-{field.amount:.1f} {{x}}"', 'Žlu-1234.5 {x}'],
    ['field.kind + 1', '6'],
    ['field.kind.attr.options[0].label', 'Five'],
    ['field.name.attr.label', 'name'],
    ['field.amount.attr.value', '1 234,50'],
    ['field.amount.attr.normalized_value', '1234.50'],
    ['field.amount.attr.page is None', 'True'],
    ['substitute(r"\\s+", "", "a b  c")', 'abc'],
    ['import re\nre.search(r"(\\d+)", "no 42").group(1)', '42'],
    ['next(x for x in [1, 2, 3] if x > 1)', '2'],
    ['next((x for x in [1] if x > 1), 9)', '9'],
    ['math.floor(2.5) + math.ceil(2.5)', '5'],
    ['sum(x * y for x, y in zip([1, 2], [3, 4]))', '11'],
    ['"a,b".split(",")[1]', 'b'],
    ['1 < 2 < 3', 'True'],
    ['None', ''],
    ['', ''],
    ['# nothing', ''],
    ["'field.amount'", 'field.amount'],
    ['if field.amount > 1000:\n  "large"\nelse:\n  "small"', 'large'],
    ['x = 0\nfor i in range(4):\n  x += i\nx', '6'],
    ['for i in range(3): i', '2'],
    ['x = 1; x + 1', '2'],
    ['"seen"\nx = 5', 'seen'],
    ['"""two\nlines"""', 'two\nlines'],
    ['(1 +\n 2)', '3'],
    ['x: int = 4\nx', '4'],
    ['def twice(x):\n  return x * 2\ntwice(4)', '8'],
  ])('%j is %j', (code, expected) => {
    expect(evaluate(code, header, values)).toEqual({ value: expected, messages: [], blockers: [] });
  });

  it('is written in the format of its field, without the zeros of what it reads', () => {
    const schema = schemaOf([
      number('amount'),
      formula('copy', 'field.amount', { type: 'number', format: '# ##0,#' }),
      formula('due', 'date(2026, 3, 5)', { type: 'date', format: 'D. M. YYYY' }),
    ]);
    const { nodes } = evaluateFormulas(schema, contentOf(schema, { amount: '1123.40' }), OPTIONS);
    expect(nodes.find(({ schemaId }) => schemaId === 'copy')?.content).toMatchObject({
      value: '1 123,4',
      normalizedValue: '1123.4',
    });
    expect(nodes.find(({ schemaId }) => schemaId === 'due')?.content).toMatchObject({
      value: '5. 3. 2026',
      normalizedValue: '2026-03-05',
    });
  });

  it('does not depend on how binary fractions are', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), (one, other) => {
        const cents = (value: number) => (value / 100).toFixed(2);
        const { value } = evaluate('field.a + field.b', [number('a'), number('b')], { a: cents(one), b: cents(other) });
        expect(Number(value)).toBe(Number(cents(one + other)));
      }),
      { numRuns: 50 },
    );
  });

  it('gives any text of a field as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
        expect(evaluate('field.name', [field({ id: 'name' })], { name: text }).value).toBe(text);
      }),
      { numRuns: 50 },
    );
  });
});

describe('tables', () => {
  const columns = [
    number('amount'),
    number('count'),
    formula('total', 'field.amount * field.count', { type: 'number' }),
  ];
  const rows = [
    { text: 'a', amount: '1.5', count: '2' },
    { text: 'b', amount: '', count: '4' },
    { text: 'c', amount: '10', count: '3' },
  ];
  const run = (header: Datapoint[], more: Datapoint[] = []) => {
    const schema = schemaOf(header, [...columns, ...more]);
    return evaluateFormulas(schema, contentOf(schema, {}, rows, ['x', 'y']), OPTIONS);
  };

  it('are computed row by row; a row that fails is empty alone', () => {
    const { nodes, messages } = run([]);
    expect(valuesOf(nodes, 'total')).toEqual(['3', '', '30']);
    const [, failed] = nodes.filter(({ schemaId }) => schemaId === 'total');
    expect(messages).toEqual([
      {
        id: String(failed!.id),
        type: 'error',
        content: expect.stringContaining('TypeError'),
        detail: {
          hook_id: null,
          hook_name: null,
          request_id: null,
          timestamp: null,
          is_exception: true,
          traceback_line_number: 1,
          source_id: failed!.id,
          source_schema_id: 'total',
        },
      },
    ]);
  });

  it.each([
    ['sum(default_to(field.total.all_values, 0))', '33'],
    ['len(field.items)', '3'],
    ['", ".join(row.text for row in field.items)', 'a, b, c'],
    ['field.items[0].amount + field.item[2].amount', '11.5'],
    ['[row.amount for row in field.items][1] is None', 'True'],
    ['max(row.amount for row in field.items if is_set(row.amount))', '10'],
    ['"".join(field.notes)', 'xy'],
    ['"".join(field.note.all_values)', 'xy'],
    ['[x * 2 for x in field.count.all_values][2]', '6'],
  ])('are read by other formulas: %s', (code, expected) => {
    expect(valuesOf(run([formula('result', code)]).nodes, 'result')).toEqual([expected]);
  });

  it('know the number of the row', () => {
    expect(valuesOf(run([], [formula('line', 'field._index + 1')]).nodes, 'line')).toEqual(['1', '2', '3']);
  });

  it('lists are computed item by item', () => {
    const schema = schemaOf([], [], formula('note', 'f"{field._index}"'));
    expect(valuesOf(evaluateFormulas(schema, contentOf(schema, {}, [], ['', '']), OPTIONS).nodes, 'note')).toEqual([
      '0',
      '1',
    ]);
  });
});

describe('formulas that read formulas', () => {
  it('are evaluated in their order, wherever they stand', () => {
    const schema = schemaOf([
      formula('third', 'field.second + "3"'),
      formula('second', 'field.first + "2"'),
      formula('first', '"1"'),
    ]);
    const { nodes } = evaluateFormulas(schema, contentOf(schema, {}), OPTIONS);
    expect(valuesOf(nodes, 'third')).toEqual(['123']);
  });

  it('fail when they depend on themselves, and only they', () => {
    const schema = schemaOf([
      formula('self', 'field.self'),
      formula('one', 'field.other'),
      formula('other', 'field.one'),
      formula('reader', 'default_to(field.one, "none")'),
    ]);
    const { nodes, messages } = evaluateFormulas(schema, contentOf(schema, { one: 'old' }), OPTIONS);
    expect(['self', 'one', 'other', 'reader'].map((id) => valuesOf(nodes, id)[0])).toEqual(['', '', '', 'none']);
    expect(messages.map(({ content, detail }) => [detail?.source_schema_id, content]).sort()).toEqual([
      ['one', 'The formula depends on itself.'],
      ['other', 'The formula depends on itself.'],
      ['self', 'The formula depends on itself.'],
    ]);
  });

  it('a column may read the other columns of its rows', () => {
    const columns = [number('amount'), formula('share', 'field.amount / sum(row.amount for row in field.items)')];
    const schema = schemaOf([], columns);
    const { nodes, messages } = evaluateFormulas(
      schema,
      contentOf(schema, {}, [{ amount: '1' }, { amount: '3' }]),
      OPTIONS,
    );
    expect([valuesOf(nodes, 'share'), messages]).toEqual([['0.25', '0.75'], []]);
  });
});

it('does not fail because the process was held up for longer than a formula may take', async () => {
  const busy = 'total = 0\nfor i in range(20000):\n  total = total + i\ntotal';
  expect(evaluate(busy).messages).toEqual([]);
  const holdUp = 'sleep 0.1; kill -STOP $PPID; sleep 0.3; kill -CONT $PPID';
  const ended = once(spawn('sh', ['-c', holdUp]), 'exit');
  const found: unknown[] = [];
  let longest = 0;
  for (const end = performance.now() + 1000; performance.now() < end; ) {
    const begin = performance.now();
    found.push(...evaluate(busy).messages);
    longest = Math.max(longest, performance.now() - begin);
  }
  await ended;
  expect(longest).toBeGreaterThan(250);
  expect(found).toEqual([]);
});

describe('failures', () => {
  it.each([
    ['1 / 0', 'ZeroDivisionError: division by zero', 1],
    ['# first\n\nfield.missing + 1', "unsupported operand type(s) for +: 'NoneType' and 'int'", 3],
    ['x = "a" * 10', null, null],
    ['while True: pass', 'It takes longer than 100 ms.', null],
    ['for i in range(10 ** 12):\n  i', 'It takes longer than 100 ms.', null],
    ['"a" * 10 ** 9', 'It needs more than 8 MB of memory.', 1],
    ['x = "a"\nfor i in range(60):\n  x = x + x\nx', 'It needs more than 8 MB of memory.', 3],
    ['10 ** 10 ** 10', 'It needs more than 8 MB of memory.', 1],
    ['def f():\n  return f()\nf()', 'RecursionError: maximum recursion depth exceeded', 3],
    ['x = []\nfor i in range(50000):\n  x = [x]\nx', 'The result is neither text', null],
    ['"a" * 2000', 'The result is longer than 1500 characters.', null],
    ['"a" * 70000', 'The result is longer than 64 kB.', null],
    ['[1]', 'The result is neither text', null],
    ['1e300 * 1e300', 'The result is no finite number.', null],
    ['open("/etc/passwd").read()', 'PermissionError', 1],
    ['__import__("os")', 'NameError', 1],
    ['annotation.id', "NameError: name 'annotation' is not defined", 1],
    ['field.nothing', 'The schema has no field "nothing".', 1],
    ['1\nfield.text', '"text" is in a table and has a value in each row: field.text.all_values.', 2],
    ['field.missing.all_values', '"missing" is in no table and has one value only.', 1],
    ['field._index', 'Only a formula of a table has field._index.', 1],
  ])('%j: %j', (code, text, line) => {
    const { value, messages } = evaluate(code, [number('missing')]);
    expect(value).toBe('');
    if (text === null) expect(messages).toEqual([]);
    else
      expect(messages).toEqual([
        expect.objectContaining({
          type: 'error',
          content: expect.stringContaining(text),
          detail: expect.objectContaining({ is_exception: true, traceback_line_number: line }),
        }),
      ]);
  });

  it('cost no more than their time, however many rows and formulas there are', () => {
    const endless = 'while True: pass';
    const schema = schemaOf(
      [...Array(30).keys()].map((i) => formula(`header_${i}`, endless)),
      [formula('cell', endless)],
    );
    const rows = Array.from({ length: 500 }, () => ({}));
    const started = process.cpuUsage();
    const { messages } = evaluateFormulas(schema, contentOf(schema, {}, rows), { ...OPTIONS, budgetMs: 300 });
    const { user } = process.cpuUsage(started);
    expect(messages).toHaveLength(530);
    expect(user / 1000).toBeLessThan(3000);
  });

  it('never end in anything but a value or a message', () => {
    const piece = fc.constantFrom(
      'field',
      '.',
      'a',
      'all_values',
      'attr',
      'value',
      ' ',
      '\n',
      '  ',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      'f"',
      '"""',
      ':',
      '=',
      '+',
      '*',
      '1',
      'if',
      'else',
      'for',
      'in',
      'lambda',
      'import',
      're',
      'show_error',
      ',',
      '\\',
      '#',
      ';',
      'é',
      '\0',
      'date',
      'today',
      'str',
      '|',
      'next',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        (code) => {
          const { value, messages } = evaluate(code, [field({ id: 'a' })], { a: 'x' });
          expect(typeof value).toBe('string');
          if (messages.some(({ detail }) => detail?.is_exception)) expect(value).toBe('');
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('what formulas say', () => {
  it('goes to the field that they name, to the document, or to a person', () => {
    const code =
      'show_error("wrong", field.name)\nshow_warning("odd")\nshow_info(5, field=field.text)\nautomation_blocker("look", field.name)\n"done"';
    const schema = schemaOf([field({ id: 'name' }), formula('result', code)]);
    const content = contentOf(schema, {}, [{}]);
    const name = String(content.find(({ schemaId }) => schemaId === 'name')!.id);
    const { nodes, messages, blockers } = evaluateFormulas(schema, content, OPTIONS);
    expect(valuesOf(nodes, 'result')).toEqual(['done']);
    expect(messages.map(({ id, type, content }) => [id, type, content])).toEqual([
      [name, 'error', 'wrong'],
      ['all', 'warning', 'odd'],
      ['all', 'info', '5'],
    ]);
    expect(messages.every(({ detail }) => detail?.is_exception === false)).toBe(true);
    expect(blockers).toEqual([{ id: name, content: 'look' }]);
  });

  it('goes to the cell of the same row', () => {
    const schema = schemaOf([], [formula('check', 'if field.text == "b":\n  show_error("no b", field.text)')]);
    const content = contentOf(schema, {}, [{ text: 'a' }, { text: 'b' }]);
    const { messages } = evaluateFormulas(schema, content, OPTIONS);
    const [, cell] = content.filter(({ schemaId }) => schemaId === 'text');
    expect(messages.map(({ id }) => id)).toEqual([String(cell!.id)]);
  });
});

describe('in an annotation', () => {
  const schema = schemaOf([number('amount'), formula('double', 'field.amount * 2', { type: 'number' })]);
  const content = evaluateFormulas(schema, contentOf(schema, { amount: '2' }), OPTIONS).nodes;
  const amount = content.find(({ schemaId }) => schemaId === 'amount')!;
  const double = content.find(({ schemaId }) => schemaId === 'double')!;
  const context = { allocateId: () => -1, source: 'user' as const };
  const write = (id: number, value: string) => {
    const change = applyOperations(schema, content, [{ op: 'replace', id, value: { content: { value } } }], context);
    if (change.errors) throw new Error(JSON.stringify(change.errors));
    return withFormulas(schema, content, change, OPTIONS).change;
  };

  it('nothing changes by evaluating again', () => {
    expect(evaluateFormulas(schema, content, OPTIONS).changed).toEqual([]);
  });

  it('a write changes what depends on it', () => {
    const { nodes, changed } = write(amount.id, '21');
    expect(valuesOf(nodes, 'double')).toEqual(['42']);
    expect(changed.map(({ id }) => id).sort()).toEqual([amount.id, double.id].sort());
  });

  it('a value written by a person into an editable formula stays', () => {
    const { nodes } = write(double.id, '5');
    expect(valuesOf(nodes, 'double')).toEqual(['5']);
    expect(valuesOf(evaluateFormulas(schema, nodes, OPTIONS).nodes, 'double')).toEqual(['5']);
  });

  it('a row that is added is computed', () => {
    const table = schemaOf([], [formula('line', 'field._index')]);
    const before = contentOf(table, {});
    const items = before.find(({ schemaId }) => schemaId === 'items')!;
    let id = 0;
    const given = [{ op: 'add', id: items.id, value: [{ schema_id: 'text', content: { value: 'x' } }] }];
    const change = applyOperations(table, before, given, { allocateId: () => --id, source: 'user' });
    if (change.errors) throw new Error(JSON.stringify(change.errors));
    const { added, changed } = withFormulas(table, before, change, OPTIONS).change;
    expect([valuesOf(added, 'line'), changed]).toEqual([['0'], []]);
  });
});

describe('at save', () => {
  const problemOf = (code: string) => {
    const errors = checkSchemaContent([{ ...schemaOf([formula('result', code)])[0]! }]);
    return JSON.stringify(errors);
  };

  it.each(['field.a + 1', 'import re, math\nfrom datetime import date\n1', 'field.unknown', 'while True: pass'])(
    '%j is taken',
    (code) => {
      expect(problemOf(code)).toBe('null');
    },
  );

  it.each([
    ['1 +', 'cannot be evaluated, line 1: '],
    ['a = field.a\nb = = a', 'line 2: Expected an expression'],
    ['a = (1 +\n2', 'line 2: Expected `)`'],
    ['"abc', 'A text in quotes has no end.'],
    ['import os', 'Only datetime, re, math can be imported, not os.'],
    ['from subprocess import run', 'not subprocess'],
    ['import re, sys', 'not sys'],
    ['class A: pass', 'This is not available: class definitions'],
    ['field.a = 5', 'Field formulas must not modify values of other fields.'],
    ['if 1: field.a += 5', 'Field formulas must not modify values of other fields.'],
    ['"{}".format(1)', 'is not available'],
    ['field.a.all_values * 2', 'value by value'],
    ['1 < field.a.all_values', 'value by value'],
    ['field.a.attr.password', 'There is no attribute'],
    ['x = field', 'is followed by a dot'],
    [`${'('.repeat(240)}1${')'.repeat(240)}`, 'too deeply nested'],
    ['x'.repeat(501), 'no more than 500 characters'],
  ])('%j is refused', (code, text) => {
    expect(problemOf(code)).toContain(text);
  });
});

it('content without formulas stays as it is', () => {
  const schema = schemaOf([number('amount')]);
  const content = contentOf(schema, { amount: '1' });
  expect(evaluateFormulas(schema, content, OPTIONS)).toEqual({
    nodes: content,
    changed: [],
    messages: [],
    blockers: [],
  });
});
