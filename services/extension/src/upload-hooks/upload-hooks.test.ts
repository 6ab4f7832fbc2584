import type { extension } from '@intake/contracts';
import { callUploadHooks } from './upload-hooks';

it('passes files on as they came', () => {
  const files: extension.UploadFile[] = [
    { documentId: 1, preventImporting: false, values: { 'upload:project': 'A1' } },
    { documentId: 2, preventImporting: true, values: {} },
  ];
  expect(callUploadHooks(files)).toEqual(files);
});
