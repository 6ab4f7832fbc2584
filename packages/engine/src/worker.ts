import { serveJobs } from '@intake/untrusted';
import type { EngineJobs } from './jobs';
import { readPages, renderPage } from './pages';
import { recognize } from './recognize';

serveJobs<EngineJobs>({
  recognize: ({ bytes, options }) => recognize(bytes, options),
  renderPage: ({ bytes, mimeType, pageNumber, longestSide }) =>
    renderPage(bytes, mimeType, pageNumber, longestSide === undefined ? {} : { longestSide }),
  readPages: ({ bytes, mimeType }) => readPages(bytes, mimeType),
});
