import { operationsOfUpdates, readAnswer } from './answer';

const nodes = new Set([7, 8]);
const detail = { hook_id: 3 };

describe('the answer of an extension', () => {
  it('is messages, operations and reasons to look at it', () => {
    const operations = [{ op: 'replace', id: 7, value: { content: { value: 'A' } } }];
    const answer = readAnswer(
      {
        messages: [
          { id: 7, type: 'error', content: 'wrong' },
          { id: '8', type: 'warning', content: 'odd', detail: { own: true } },
          { id: 99, type: 'info', content: 'of nothing here' },
          { id: null, type: 'info', content: 'x'.repeat(5000) },
          { type: 'info', content: 'of all' },
        ],
        operations,
        automation_blockers: [{ id: 7, content: 'look' }, { content: 'at all' }],
        unknown: 1,
      },
      nodes,
      detail,
    );
    expect(answer.messages.map(({ id, type, detail: by }) => [id, type, by])).toEqual([
      ['7', 'error', detail],
      ['8', 'warning', { own: true }],
      ['all', 'info', detail],
      ['all', 'info', detail],
      ['all', 'info', detail],
    ]);
    expect(answer.messages[3]?.content).toHaveLength(4096);
    expect(answer.operations).toEqual(operations);
    expect(answer.blockers.map(({ id, content }) => [id, content])).toEqual([
      ['7', 'look'],
      ['all', 'at all'],
    ]);
  });

  it('may say nothing', () => {
    expect(readAnswer({ messages: null }, nodes)).toEqual({ messages: [], operations: [], blockers: [] });
  });

  it.each([
    [{ messages: {} }, 'messages must be a list'],
    [{ messages: ['wrong'] }, 'messages[0] must be an object'],
    [{ messages: [{ type: 'fatal', content: '' }] }, 'messages[0].type must be one of error, warning, info'],
    [{ messages: [{ type: 'error' }] }, 'messages[0].content must be a text'],
    [{ operations: 'all' }, 'operations must be a list'],
    [{ messages: [{ type: 'info', content: '', detail: { all: 'x'.repeat(1_000_000) } }] }, 'more than 1000000'],
    [{ automation_blockers: [{}] }, 'automation_blockers[0].content must be a text'],
  ])('%# is none', (body, problem) => {
    expect(() => readAnswer(body as never, nodes)).toThrow(problem);
  });

  it('may change values in the old form', () => {
    const updates = [
      { id: '7', value: '2026-01-31' },
      { id: '8', hidden: true },
    ];
    expect(operationsOfUpdates({ updated_datapoints: updates })).toEqual([
      {
        op: 'replace',
        id: '7',
        value: { content: { normalized_value: '2026-01-31' }, validation_sources: ['connector'] },
      },
      { op: 'replace', id: '8', value: { hidden: true } },
    ]);
  });
});
