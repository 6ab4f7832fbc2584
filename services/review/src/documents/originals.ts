import { call, localUrl } from '../api/client';
import type { Document, Download, Task } from '../api/types';

const ASK_AGAIN_MS = 500;

/** Has the browser save the files of documents: the one itself, several as an archive. Throws ApiError. */
export async function saveOriginals(documents: readonly Document[]): Promise<void> {
  const [first] = documents;
  if (first) save(documents.length === 1 ? first.content : await pack(documents.map(({ url }) => url)));
}

/** Where the archive of documents is had. API: documents-and-uploads.md section 4. */
async function pack(documents: readonly string[]): Promise<string> {
  const { url } = await call<{ url: string }>('/documents/downloads', { method: 'POST', body: { documents } });
  for (;;) {
    const task = await call<Task>(`${url}?no_redirect=true`);
    if (task.status === 'failed') throw new Error(task.detail ?? '');
    if (task.result_url) return (await call<Download>(task.result_url)).content;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

function save(content: string): void {
  const link = document.createElement('a');
  link.href = localUrl(content);
  link.download = '';
  link.click();
}
