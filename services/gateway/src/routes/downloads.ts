import { downloadToJson, reference, string } from '@intake/resources';
import { invalidField } from '@intake/rpc';
import { z } from 'zod';
import { answersFile, answersTask } from '../openapi/named-schema';
import { DOWNLOAD } from '../openapi/objects';
import { openFile } from '../reply/chunk-stream';
import { attachment } from '../reply/content-disposition';
import { replyOne } from '../reply/list';
import { Answer, route } from '../route';
import type { RouteContext } from './index';

/** How long a client may take to fetch an archive. */
const TRANSFER_MS = 600_000;

const downloadBody = z.object({
  documents: z.array(reference('documents')),
  file_name: string(255).default('documents.zip'),
  type: z.enum(['document', 'source_document']).default('document'),
  zip: z.boolean().default(true),
});

/** Documents that are fetched together. API: documents-and-uploads.md section 4. */
export function downloadRoutes({ services }: RouteContext) {
  const { storage } = services;
  return [
    route('POST', '/documents/downloads', {
      allow: 'readAnnotations',
      doc: answersTask('Pack documents into an archive'),
      body: downloadBody,
      call: ({ body }, caller) => {
        const { documents: documentIds, file_name: fileName, type, zip } = body;
        if (zip && !fileName.toLowerCase().endsWith('.zip')) throw invalidField('file_name', 'Must end in .zip.');
        return storage.createDownload({ documentIds, fileName, sources: type === 'source_document', zip }, caller);
      },
      reply: ({ id }, { urls }) => new Answer(202, { Location: urls.task(id) }, { url: urls.task(id) }),
    }),
    route('GET', '/documents/downloads/:id', {
      allow: 'readAnnotations',
      doc: DOWNLOAD.retrieved('Retrieve a download'),
      call: ({ parameters }, caller) => storage.getDownload({ id: parameters.id }, caller),
      reply: (row, request) => replyOne(request, downloadToJson(row, request.urls)),
    }),
    route('GET', '/documents/downloads/:id/content', {
      allow: 'readAnnotations',
      doc: answersFile('The archive of a download', '*/*'),
      timeoutMs: TRANSFER_MS,
      call: ({ parameters }, caller) =>
        openFile(storage.getDownloadContent({ id: parameters.id }, caller, { timeoutMs: TRANSFER_MS })),
      reply: ({ header, stream }) =>
        new Answer(
          200,
          {
            'Content-Type': header.mimeType || 'application/octet-stream',
            'Content-Disposition': attachment(header.fileName),
            'X-Content-Type-Options': 'nosniff',
            'Content-Security-Policy': "sandbox; default-src 'none'",
            ...(header.size > 0 && { 'Content-Length': String(header.size) }),
          },
          stream(),
        ),
    }),
  ];
}
