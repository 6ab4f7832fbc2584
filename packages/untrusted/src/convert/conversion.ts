import { isHeifType } from './heif';
import { isOfficeType } from './office';

/**
 * How documents of a type become what the engine reads: the job of `ConvertJobs` that makes a PDF, or pictures, of each of them; null: they
 * are read as they are, or not at all.
 */
export function conversionOf(mimeType: string): 'convertOffice' | 'convertHeif' | null {
  if (isOfficeType(mimeType)) return 'convertOffice';
  return isHeifType(mimeType) ? 'convertHeif' : null;
}
