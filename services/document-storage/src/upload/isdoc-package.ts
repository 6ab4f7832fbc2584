import type { EngineJobs } from '@intake/engine';
import { type ChildPool, JobError, type UnpackedArchive } from '@intake/untrusted';
import { beginsLikeEInvoice, XML_START } from './readable';

type ArchiveFile = UnpackedArchive['files'][number];

const EMBED_MS = 30_000;

/** The e-invoice of an ISDOC package, and the PDF that shows it; null: it is another archive. Source: isdoc.cz, ISDOCX. */
export function findPackage(
  files: readonly ArchiveFile[],
): { readonly manifest: ArchiveFile; readonly invoice: ArchiveFile; readonly picture: ArchiveFile | null } | null {
  const manifest = files.find(({ fileName }) => fileName.toLowerCase() === 'manifest.xml');
  const invoices = files.filter(
    ({ fileName, bytes }) => /\.isdoc$/i.test(fileName) && beginsLikeEInvoice(bytes.subarray(0, XML_START)),
  );
  const [invoice] = invoices;
  if (!manifest || !invoice || invoices.length > 1) return null;
  const pdfs = files.filter(({ fileName }) => /\.pdf$/i.test(fileName));
  const own = pdfs.find((pdf) => stemOf(pdf) === stemOf(invoice));
  return { manifest, invoice, picture: own ?? (pdfs.length === 1 ? (pdfs[0] ?? null) : null) };
}

function stemOf({ fileName }: ArchiveFile): string {
  return fileName.replace(/\.[^.]*$/, '').toLowerCase();
}

/**
 * Makes one document of the e-invoice of an ISDOC package and its PDF: the PDF with the e-invoice in it. Without a PDF that can
 * be opened, the e-invoice stands for itself. The list of contents is left out, further attachments stay files of their own.
 */
export function createJoinPackage(engine: ChildPool<EngineJobs>) {
  const embed = async (picture: ArchiveFile, invoice: ArchiveFile): Promise<ArchiveFile | null> => {
    try {
      const input = { pdf: picture.bytes, xml: invoice.bytes, fileName: invoice.fileName };
      return { fileName: picture.fileName, bytes: await engine.run('embedInvoice', input, { timeoutMs: EMBED_MS }) };
    } catch (error) {
      if ((error as Error).name === 'UnreadableDocument' || error instanceof JobError) return null;
      throw error;
    }
  };

  return async (archive: UnpackedArchive): Promise<UnpackedArchive> => {
    const found = findPackage(archive.files);
    if (!found) return archive;
    const { manifest, invoice, picture } = found;
    const joined = picture && (await embed(picture, invoice));
    const rest = archive.files.filter(
      (file) => file !== manifest && !(joined && (file === invoice || file === picture)),
    );
    return { ...archive, files: joined ? [joined, ...rest] : rest };
  };
}
