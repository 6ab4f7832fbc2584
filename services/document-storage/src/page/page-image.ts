import { Readable } from 'node:stream';
import type { Barcode, EngineJobs } from '@intake/engine';
import { type Caller, Refusal, systemCaller } from '@intake/rpc';
import type { Logger } from '@intake/service';
import type { ChildPool } from '@intake/untrusted';
import type { DocumentStore } from '../document/document.store';
import type { ObjectInfo, ObjectStore } from '../object-store/object-store';
import { PDF } from '../rendition/rendition';
import type { Page } from './page';
import type { PageStore } from './page.store';

/** Where the PNG of a page is kept. */
export interface PageImage extends ObjectInfo {
  readonly key: string;
  readonly fileName: string;
}

export interface PageImageOptions {
  readonly pages: PageStore;
  readonly documents: DocumentStore;
  readonly objects: ObjectStore;
  readonly engine: ChildPool<EngineJobs>;
  readonly log: Logger;
}

const BARCODES = 'barcodes.json';
const FILES = ['content.png', 'preview.png', BARCODES];

/** Longest side of a preview in pixels. API: pages.md. */
const PREVIEW_PIXELS = 512;

const keyOf = (pageId: number, name: string, rotationDeg = 0) =>
  `pages/${pageId}/${rotationDeg === 0 ? '' : `${rotationDeg}-`}${name}`;

/** Where images of a page, and what was read of them, may be, in any rotation. */
export function imageKeysOf(pageId: number): string[] {
  return [0, 90, 180, 270].flatMap((rotation) => FILES.map((name) => keyOf(pageId, name, rotation)));
}

/** Barcodes of a page, looked for in its image when they are first asked for and kept. NOT_FOUND as for the image. */
export function createPageBarcodes({
  objects,
  engine,
  drawPage,
}: Pick<PageImageOptions, 'objects' | 'engine'> & { readonly drawPage: ReturnType<typeof createPageImages> }) {
  return async (caller: Caller, { id, rotationDeg }: Page): Promise<Barcode[]> => {
    const key = keyOf(id, BARCODES, rotationDeg);
    const kept = (await objects.find(key)) && (await objects.readAll(key));
    if (kept) return JSON.parse(kept.toString()) as Barcode[];
    const png = await objects.readAll((await drawPage(caller, id, false)).key);
    if (!png) throw new Refusal('NOT_FOUND');
    const found = await engine.run('findBarcodes', { png }, { timeoutMs: 30_000 });
    await objects.write(key, Readable.from([Buffer.from(JSON.stringify(found))]));
    return found;
  };
}

/** The image of a page, drawn when it is first asked for and kept. NOT_FOUND: the page, or a page that cannot be drawn. */
export function createPageImages({ pages, documents, objects, engine, log }: PageImageOptions) {
  const inWork = new Map<string, Promise<ObjectInfo>>();

  const draw = async (page: Page, key: string, preview: boolean): Promise<ObjectInfo> => {
    const owner = systemCaller('document-storage', page.organizationId);
    const document = await documents.find(owner, { id: page.documentId });
    const bytes = document && (await objects.readAll(document.rendition?.key ?? document.s3Name));
    if (!bytes) throw new Refusal('NOT_FOUND');
    const job = {
      bytes,
      mimeType: document.rendition ? PDF : document.mimeType,
      pageNumber: page.number,
      rotation: page.rotationDeg,
    };
    const { png } = await engine
      .run('renderPage', preview ? { ...job, longestSide: PREVIEW_PIXELS } : job, { timeoutMs: 30_000 })
      .catch((error) => {
        log.warn({ err: error, page: page.id }, 'page cannot be drawn');
        throw new Refusal('NOT_FOUND', { detail: 'The page cannot be drawn.', cause: error });
      });
    return objects.write(key, Readable.from([png]));
  };

  return async (caller: Caller, pageId: number, preview: boolean): Promise<PageImage> => {
    const page = await pages.find(caller, pageId);
    if (!page) throw new Refusal('NOT_FOUND');
    const name = preview ? 'preview.png' : 'content.png';
    const key = keyOf(page.id, name, page.rotationDeg);
    let info = await objects.find(key);
    if (!info) {
      const drawing = inWork.get(key) ?? draw(page, key, preview).finally(() => inWork.delete(key));
      inWork.set(key, drawing);
      info = await drawing;
    }
    return { ...info, key, fileName: name };
  };
}
