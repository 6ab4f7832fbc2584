import type { Position } from '../../recognition';
import { hasLegalForm, isPostal, isStreet, withoutBrand } from './party-forms';

/** What somebody is on a document; goods may be delivered to another place than the recipient's. */
export type Role = 'sender' | 'recipient' | 'delivery';

/** A person or company with its address, as it stands on the page. */
export interface Party {
  role: Role;
  name: { text: string; box: Position } | undefined;
  address: { text: string; box: Position } | undefined;
  page: number;
  /** Where the block stands, with its numbers of registration. */
  box: Position;
  /** How it was found; decides the confidence. */
  evidence: 'label' | 'window' | 'company' | 'block' | 'top';
}

/** A sender whose name and address stand in one line, in `box`. */
export function senderInLine(
  page: number,
  box: Position,
  { name, address }: { readonly name: string; readonly address: string },
  evidence: Party['evidence'],
): Party {
  return {
    role: 'sender',
    name: { text: withoutBrand(name), box },
    address: { text: address, box },
    page,
    box,
    evidence,
  };
}

/** Features of a name or an address: what its form says, whoever it may be. */
export function describeParty(part: 'name' | 'address', text: string): Record<string, number> {
  if (part === 'address') {
    return { postal: isPostal(text) ? 1 : 0, street: isStreet(text) ? 1 : 0, lines: text.split(',').length / 4 };
  }
  return {
    legalForm: hasLegalForm(text) ? 1 : 0,
    hasDigits: /\d/.test(text) ? 1 : 0,
    streetLike: isStreet(text) || isPostal(text) ? 1 : 0,
    oneWord: /\s/.test(text.trim()) ? 0 : 1,
    small: /^\p{Ll}/u.test(text) ? 1 : 0,
  };
}
