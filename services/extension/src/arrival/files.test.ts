import { allOf, applyEmailAnswer } from './email-files';
import { applyUploadAnswer, concludeUpload, type FileVerdict, verdictsOf } from './upload-files';

const documentUrl = (id: number) => `https://x.example/api/v1/documents/${id}`;
const file = (documentId: number, preventImporting = false) => ({
  documentId,
  preventImporting,
  values: { 'upload:a': '1' },
  messages: [],
  failure: '',
});
const answer = (before: readonly FileVerdict[], files: unknown) => applyUploadAnswer(before, { files } as never, {});

describe('files of an upload', () => {
  it('listed ones change, others stay as they are', () => {
    const after = answer(verdictsOf([file(1), file(2), file(3, true)]), [
      { document: documentUrl(1), prevent_importing: true },
      {
        document: documentUrl(2),
        values: [
          { id: 'upload:b', value: 2 },
          { id: 'else', value: 'x' },
        ],
      },
    ]);
    expect(concludeUpload(after, '')).toEqual([
      { ...file(1), preventImporting: true },
      { ...file(2), values: { 'upload:a': '1', 'upload:b': '2' } },
      file(3, true),
    ]);
  });

  it('a failure decides only about what nobody decided about', () => {
    const after = answer(verdictsOf([file(1), file(2, true), file(3, true)]), [
      { document: documentUrl(2), prevent_importing: true },
    ]);
    const concluded = concludeUpload(after, 'the hook failed.');
    expect(concluded.map(({ failure }) => failure)).toEqual([
      '',
      '',
      'Files of this type are not read, and the hook failed.',
    ]);
    expect(concluded.map(({ preventImporting }) => preventImporting)).toEqual([false, true, false]);
  });

  it.each([
    ['no list', {}, 'files must be a list'],
    ['no object', ['x'], 'files[0] must be an object'],
    ['no document', [{}], 'files[0].document must be the URL of a document'],
    [
      'another object',
      [{ document: 'https://x.example/api/v1/queues/1' }],
      'files[0].document must be the URL of a document',
    ],
    [
      'no switch',
      [{ document: documentUrl(1), prevent_importing: 1 }],
      'files[0].prevent_importing must be true or false',
    ],
    ['bad values', [{ document: documentUrl(1), values: [{ id: 1 }] }], 'files[0].values[0].id must be a text'],
    ['bad messages', [{ document: documentUrl(1), messages: [{ type: 'x' }] }], 'messages[0].type must be'],
  ])('%s is refused', (_, files, message) => expect(() => answer(verdictsOf([file(1)]), files)).toThrow(message));
});

describe('attachments of an e-mail', () => {
  it('without a list all are imported, with an empty one none', () => {
    expect([...applyEmailAnswer(allOf([1, 2]), {}).files.keys()]).toEqual([1, 2]);
    expect([...applyEmailAnswer(allOf([1, 2]), { files: [] }).files.keys()]).toEqual([]);
  });

  it('the next hook chooses among what is left', () => {
    const first = applyEmailAnswer(allOf([1, 2, 3]), {
      files: [{ id: '1', values: [{ id: 'email:a', value: 'x' }] }, { id: 2 }],
      extracted_original_sender: { email: 'a@b.c', name: 'A' },
    });
    const second = applyEmailAnswer(first, {
      files: [{ id: 1, values: [{ id: 'email:b', value: true }] }, { id: 3 }],
      additional_files: [{ document: documentUrl(9), import_document: true }],
    });
    expect([...second.files]).toEqual([[1, { 'email:a': 'x', 'email:b': 'true' }]]);
    expect([...second.additional]).toEqual([[9, { values: {}, importDocument: true }]]);
    expect(second.sender).toEqual({ email: 'a@b.c', name: 'A' });
  });

  it.each([
    [{ files: [{ id: 'x' }] }, 'files[0].id must be the id of a file'],
    [{ additional_files: [{}] }, 'additional_files[0].document must be the URL of a document'],
    [{ extracted_original_sender: { name: 'A' } }, 'extracted_original_sender must have an email and a name'],
  ])('%j is refused', (body, message) => expect(() => applyEmailAnswer(allOf([1]), body)).toThrow(message));
});
