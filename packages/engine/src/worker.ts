import { serveJobs } from '@intake/untrusted';
import { embedInvoice } from './e-invoice/embed-invoice';
import type { EngineJobs } from './jobs';
import { readPages, renderPage } from './pages';
import { recognize } from './recognize';
import { findBarcodes } from './separator/barcodes';
import { cutPdf } from './separator/cut-pdf';
import { findPageCodes } from './separator/qr-codes';
import { joinPictures } from './text/join-pictures';
import { findUnknownLanguages } from './text/ocr';
import { openPortfolio } from './text/portfolio';

serveJobs<EngineJobs>({
  recognize: ({ bytes, options }) => recognize(bytes, options),
  findUnknownLanguages: async ({ tesseract, languages }) => findUnknownLanguages(tesseract, languages),
  renderPage: ({ bytes, mimeType, pageNumber, longestSide, rotation }) =>
    renderPage(bytes, mimeType, pageNumber, { longestSide, rotation }),
  readPages: ({ bytes, mimeType }) => readPages(bytes, mimeType),
  findPageCodes: ({ bytes, mimeType }) => findPageCodes(bytes, mimeType),
  findBarcodes: ({ png }) => findBarcodes(png),
  joinPictures: ({ pictures }) => joinPictures(pictures),
  embedInvoice: ({ pdf, xml, fileName }) => embedInvoice(pdf, xml, fileName),
  openPortfolio: ({ bytes }) => openPortfolio(bytes),
  cutPdf: ({ bytes, runs, turns }) => cutPdf(bytes, runs, turns),
});
