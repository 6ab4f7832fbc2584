import { createOcrReporter } from './report-ocr';

test('each failure of PP-OCR is counted, each reason told once', () => {
  const [log, failed] = [{ warn: jest.fn() }, { inc: jest.fn() }];
  const report = createOcrReporter(log, failed);
  for (const problem of ['killed', 'no module', 'killed', 'killed']) report(problem);
  expect(failed.inc).toHaveBeenCalledTimes(4);
  expect(log.warn.mock.calls.map(([{ problem }]) => problem)).toEqual(['killed', 'no module']);
});
