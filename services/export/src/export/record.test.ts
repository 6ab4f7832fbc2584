import { annotation, documentStorage } from '@intake/contracts';
import { apiUrls } from '@intake/urls';
import { BASE, goldenAnnotation, goldenRecord } from '../testing/golden';
import { toRecord } from './record';

const urls = apiUrls(BASE);
const document = documentStorage.Document.fromPartial({ id: 315877, originalFileName: 'invoice.pdf' });

describe('toRecord', () => {
  it('makes the example of export.md section 6, with the keys in its order', () => {
    const record = toRecord(goldenAnnotation, { urls, document, username: 'jane@example.com' });
    expect(record).toEqual(goldenRecord);
    expect(Object.keys(record)).toEqual([
      'url',
      'status',
      'arrived_at',
      'exported_at',
      'document',
      'modifier',
      'schema',
      'metadata',
      'content',
      'automated',
      'modified_at',
      'assigned_at',
    ]);
  });

  it('has nulls, empty metadata and no content for an annotation that nothing happened to', () => {
    const bare = annotation.ExportAnnotation.fromPartial({
      annotation: { id: 1, schemaId: 2, documentId: 3, status: 'created' },
      contentJson: '[]',
    });
    expect(toRecord(bare, { urls, document, username: undefined })).toMatchObject({
      arrived_at: null,
      exported_at: null,
      modifier: null,
      metadata: {},
      content: [],
      modified_at: null,
      assigned_at: null,
    });
  });

  it('keeps document and modifier when they are not known any more', () => {
    const record = toRecord(goldenAnnotation, { urls, document: undefined, username: undefined });
    expect(record.document).toMatchObject({ url: `${BASE}/v1/documents/315877`, file_name: '' });
    expect(record.modifier).toEqual({ url: `${BASE}/v1/users/11`, username: '' });
  });
});
