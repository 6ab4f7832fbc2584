import type { EngineJobs } from '@intake/engine';
import { type Caller, Refusal, systemCaller } from '@intake/rpc';
import type { Logger } from '@intake/service';
import { type ChildPool, type ConvertJobs, conversionOf, JobError } from '@intake/untrusted';
import type { Document } from '../document/document';
import type { DocumentStore } from '../document/document.store';
import type { Files } from '../file/file';
import type { ObjectStore } from '../object-store/object-store';

/** The PDF that stands for a document whose own bytes cannot be read as they are: of an office file, a HEIF picture, or a damaged PDF. */
export interface Rendition {
  /** Why there is none, in words for the sender; empty when there is one. */
  readonly problem: string;
}

export interface RenditionOptions {
  readonly documents: DocumentStore;
  readonly files: Files;
  readonly objects: ObjectStore;
  /** Converts office files. */
  readonly converter: ChildPool<ConvertJobs>;
  /** Repairs PDFs, and reads HEIF pictures. */
  readonly repairer: ChildPool<ConvertJobs>;
  /** Makes a PDF of pictures. */
  readonly engine: Pick<ChildPool<EngineJobs>, 'run'>;
  readonly programs: { readonly office: string; readonly qpdf: string; readonly heif: string };
  readonly log: Logger;
}

export const PDF = 'application/pdf';

const JOIN_MS = 45_000;
/** A rendition may be larger than what may be sent. */
const MAX_RENDITION_BYTES = 200 * 1024 * 1024;

export type PrepareRendition = ReturnType<typeof createRenditions>;

/** Makes the rendition of a document, once. Refuses with NOT_FOUND when the document or its bytes are not there. */
export function createRenditions(options: RenditionOptions) {
  const { documents, files, objects, converter, repairer, engine, programs, log } = options;
  const inWork = new Map<number, Promise<Rendition>>();

  const toPdf = async (bytes: Buffer, mimeType: string): Promise<Uint8Array> => {
    const conversion = conversionOf(mimeType);
    if (conversion === 'convertOffice') return converter.run(conversion, { bytes, mimeType, program: programs.office });
    if (conversion === null) return repairer.run('repairPdf', { bytes, program: programs.qpdf });
    const pictures = await repairer.run(conversion, { bytes, program: programs.heif });
    return engine.run('joinPictures', { pictures }, { timeoutMs: JOIN_MS });
  };

  const make = async (document: Document): Promise<Rendition> => {
    const bytes = await objects.readAll(document.s3Name);
    if (!bytes) throw new Refusal('NOT_FOUND');
    try {
      await keep(document, await toPdf(bytes, document.mimeType));
      return { problem: '' };
    } catch (error) {
      const problem = explain(error as Error);
      if (!problem) throw error;
      log.info({ err: error, document: document.id }, 'no rendition of a document');
      return { problem };
    }
  };

  const keep = async (document: Document, pdf: Uint8Array): Promise<void> => {
    const header = {
      fileName: `${document.originalFileName}.pdf`,
      declaredMimeType: PDF,
      maxSize: MAX_RENDITION_BYTES,
    };
    const file = await files.put(systemCaller('document-storage', document.organizationId), header, chunksOf(pdf));
    const kept = await documents.setRendition(document.id, file);
    if (!kept) await files.discard([file.key]);
  };

  return async (caller: Caller, documentId: number): Promise<Rendition> => {
    const document = await documents.find(caller, { id: documentId });
    if (!document) throw new Refusal('NOT_FOUND');
    if (document.rendition) return { problem: '' };
    const { mimeType } = document;
    if (mimeType !== PDF && conversionOf(mimeType) === null)
      return { problem: `Documents of the type ${mimeType} cannot be read.` };
    const making = inWork.get(documentId) ?? make(document).finally(() => inWork.delete(documentId));
    inWork.set(documentId, making);
    return making;
  };
}

/** What the sender is told; undefined when it is not about the document. */
function explain(error: Error): string | undefined {
  if (error.name === 'ConversionError' || error.name === 'UnreadableDocument') return error.message;
  if (!(error instanceof JobError)) return undefined;
  if (error.name === 'JobTimeout') return 'Converting the document took too long and was stopped.';
  if (error.name === 'JobOutOfMemory') return 'Converting the document needed too much memory and was stopped.';
  return 'The document could not be converted: the program that reads it broke down.';
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
