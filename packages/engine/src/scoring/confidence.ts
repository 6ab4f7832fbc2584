/**
 * Hand-set weights of what speaks for and against a candidate. The score is a sum of logits. It ranks
 * candidates while they are chosen together, and is one of the features of the learned model.
 */
export const WEIGHTS = {
  /** Before anything is known. */
  start: -1.6,
  /** Times the weight of the label: 1 for a phrase of its own, 0.45 for a general word. */
  label: 3.6,
  /** Value right behind its label; fades with the distance. */
  besideLabel: 0.6,
  distance: -1.6,
  /** Value under its label. */
  underLabel: 0.1,
  linesUnder: -0.45,
  /** Check digits. */
  checkHolds: 1.6,
  checkFails: -2.2,
  /** Found again elsewhere in the document with the same label. */
  repeated: 0.5,
  /** OCR was unsure about the words. */
  unsureWords: -2,
  /** The sums of the document come out with it, or do not. */
  adds: 1.8,
  contradicts: -1.6,
  /** The only candidate of its type in the document, without any label. */
  onlyOne: 1.4,
};
