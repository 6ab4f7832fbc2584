import type { PageLayout, Segment } from '../../layout/page-layout';
import { linesBetween } from '../../layout/relations';
import { splitAddressLine } from './address-text';
import { findBlocks } from './blocks';
import { type Party, senderInLine } from './party';
import { hasLegalForm, isContact, isPostal, isStreet, isTitle } from './party-forms';
import { follow, type PartyLine, toLine } from './party-lines';

/** The small line above the window of a German letter: sender, street, place; the recipient stands under it. */
export function readWindow(page: PageLayout): { sender: Party; lines: PartyLine[] } | undefined {
  for (const segment of page.segments) {
    if (segment.box[1] > page.height * 0.4) break;
    if (isContact(segment.text)) continue;
    const inline = splitAddressLine(segment.text);
    if (!inline) continue;
    const near = follow(page, segment, []);
    const isLetterhead = hasLegalForm(inline.name) || isStreet(inline.address);
    const under = near.length > 0 || !isLetterhead ? near : linesOfWindow(page, segment);
    if (under.length < 2 || (near.length > 0 && !under.some((line) => isPostal(line.text)))) continue;
    return { sender: senderInLine(page.number, segment.box, inline, 'window'), lines: under };
  }
  return undefined;
}

/** The block that begins some lines under the sender's line, at its left edge. */
function linesOfWindow(page: PageLayout, head: Segment): PartyLine[] {
  const block = findBlocks(page).find(([top]) => {
    const gap = linesBetween(head, top!, page.unit);
    return gap > 0 && gap < 7 && Math.abs(top!.box[0] - head.box[0]) < 0.8 * page.unit;
  });
  const isAddress = block && block.length >= 3 && block.length <= 7 && block.some(({ text }) => /\d/.test(text));
  return isAddress && !isTitle(block[0]!.text) ? block.map(({ tokens }) => toLine(tokens)) : [];
}
