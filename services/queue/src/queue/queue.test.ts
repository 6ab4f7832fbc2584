import { acceptedMimeTypes } from './queue';
import { DEFAULT_ACCEPTED_MIME_TYPES, DEFAULT_SETTINGS } from './queue-defaults';

it('imports what the queue lists', () => {
  expect(acceptedMimeTypes({ settings: { accepted_mime_types: ['text/csv'] } })).toEqual(['text/csv']);
});

it.each([[{}], [{ accepted_mime_types: [] }], [{ accepted_mime_types: null }], [DEFAULT_SETTINGS]])(
  'imports the default set with %j',
  (settings) => {
    expect(acceptedMimeTypes({ settings })).toEqual(DEFAULT_ACCEPTED_MIME_TYPES);
  },
);
