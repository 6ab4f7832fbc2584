/** What the directory of an archive says about an entry. */
export interface ListedEntry {
  readonly path: string;
  readonly isSymbolicLink: boolean;
}

/** An entry that is not taken, and why, in words for the sender. */
export interface SkippedEntry {
  readonly path: string;
  readonly why: string;
}

/** Files that an archive must have less of to be opened (API: limits.md). */
export const TOO_MANY_FILES = 100;

const BESIDE_FILES = 'it is in a folder, and folders are read only where there is a single one and nothing beside it';
const FURTHER_FOLDER = 'it is in a folder within the folder, and only one is opened';

/** Whether an entry is a file that somebody put there: no directory, dot file, or what macOS adds. */
export function isFile(path: string): boolean {
  const parts = partsOf(path);
  const name = parts.at(-1) ?? '';
  return name !== '' && !parts.includes('__MACOSX') && (name === '..' || !name.startsWith('.'));
}

/**
 * Which entries are taken: those in the root, or those in the only folder when the root holds nothing else. Entries that
 * would lead out of the archive are skipped. Takes files only. API: documents-and-uploads.md section 2.
 */
export function chooseEntries<E extends ListedEntry>(entries: readonly E[]): { taken: E[]; skipped: SkippedEntry[] } {
  const skipped: SkippedEntry[] = [];
  const safe = entries.filter((entry) => {
    const why = findDanger(entry);
    if (why) skipped.push({ path: entry.path, why });
    return !why;
  });
  const folders = new Set(safe.map(({ path }) => partsOf(path)).map((parts) => (parts.length > 1 ? parts[0] : '')));
  const depth = folders.size === 1 && !folders.has('') ? 2 : 1;
  const taken = safe.filter(({ path }) => partsOf(path).length === depth);
  const deeper = safe.filter(({ path }) => partsOf(path).length !== depth);
  for (const { path } of deeper) skipped.push({ path, why: depth === 1 ? BESIDE_FILES : FURTHER_FOLDER });
  return { taken, skipped };
}

function findDanger({ path, isSymbolicLink }: ListedEntry): string | undefined {
  if (isSymbolicLink) return 'it is a link';
  if (path.includes('\0')) return 'its name is not allowed';
  if (/^([/\\]|[A-Za-z]:)/.test(path) || partsOf(path).includes('..')) return 'its name leads out of the archive';
  return undefined;
}

/** Some programs write backslashes between folders. */
function partsOf(path: string): string[] {
  return path.split(/[/\\]/).filter((part, i, all) => part !== '.' && (part !== '' || i === all.length - 1));
}
