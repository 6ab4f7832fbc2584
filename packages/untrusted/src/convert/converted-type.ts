import { isHeifType } from './heif';
import { isOfficeType } from './office';

/** Whether documents of a type are read through a PDF that is made of each of them. */
export function isConvertedType(mimeType: string): boolean {
  return isOfficeType(mimeType) || isHeifType(mimeType);
}
