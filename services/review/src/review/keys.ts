/** What a key does in a review. */
export type Command =
  | 'nextNeeded'
  | 'previousNeeded'
  | 'nextField'
  | 'previousField'
  | 'confirm'
  | 'postpone'
  | 'reject'
  | 'delete'
  | 'skip'
  | 'nextInList'
  | 'previousInList'
  | 'undo'
  | 'redo'
  | 'sheet'
  | 'addRow'
  | 'removeRow'
  | 'duplicateRow'
  | 'fillDown'
  | 'moveUp'
  | 'moveDown'
  | 'cellAbove'
  | 'cellBelow'
  | 'grid'
  | 'zoomIn'
  | 'zoomOut'
  | 'zoomFit'
  | 'turn'
  | 'search'
  | 'history'
  | 'leave';

interface Shortcut {
  readonly command: Command;
  /** As it is written in the sheet. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly fits: (event: Pressed) => boolean;
  /** Goes on while its keys are held down. Others count once: nothing is decided that nobody has seen. */
  readonly goesOn?: true;
}

/** What of a keyboard event counts. */
export type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'repeat'> & {
  /** Whether a field has the focus. */
  readonly inField: boolean;
};

const plain = (key: string) => (event: Pressed) =>
  event.key === key && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
const shift = (key: string) => (event: Pressed) =>
  event.key === key && event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
// By code: with Alt, some keyboards write other characters.
const alt = (code: string) => (event: Pressed) =>
  event.code === code && event.altKey && !event.shiftKey && !event.ctrlKey;
const control = (event: Pressed) => (event.ctrlKey || event.metaKey) && !event.altKey;
const inField = (fits: (event: Pressed) => boolean) => (event: Pressed) => event.inField && fits(event);

/** Every shortcut, as the sheet shows them. */
export const SHORTCUTS: readonly Shortcut[] = [
  {
    command: 'nextNeeded',
    keys: ['Enter'],
    does: 'This value is right: to the next field that needs you',
    fits: inField(plain('Enter')),
  },
  {
    command: 'previousNeeded',
    keys: ['Shift', 'Enter'],
    does: 'Back to the previous field that needs you',
    fits: inField(shift('Enter')),
    goesOn: true,
  },
  { command: 'nextField', keys: ['Tab'], does: 'Next field', fits: inField(plain('Tab')), goesOn: true },
  {
    command: 'previousField',
    keys: ['Shift', 'Tab'],
    does: 'Previous field',
    fits: inField(shift('Tab')),
    goesOn: true,
  },
  {
    command: 'confirm',
    keys: ['Ctrl', 'Enter'],
    does: 'Confirm',
    fits: (event) => control(event) && event.key === 'Enter',
  },
  { command: 'skip', keys: ['Alt', 'N'], does: 'Leave this document and take the next one', fits: alt('KeyN') },
  {
    command: 'nextInList',
    keys: ['Alt', 'Page down'],
    does: 'Next document of the list that this one was opened from',
    fits: alt('PageDown'),
  },
  {
    command: 'previousInList',
    keys: ['Alt', 'Page up'],
    does: 'Previous document of that list',
    fits: alt('PageUp'),
  },
  { command: 'postpone', keys: ['Alt', 'P'], does: 'Postpone', fits: alt('KeyP') },
  { command: 'reject', keys: ['Alt', 'R'], does: 'Reject', fits: alt('KeyR') },
  { command: 'delete', keys: ['Alt', 'Backspace'], does: 'Delete', fits: alt('Backspace') },
  {
    command: 'undo',
    keys: ['Ctrl', 'Z'],
    does: 'Undo',
    fits: (event) => control(event) && event.code === 'KeyZ' && !event.shiftKey,
    goesOn: true,
  },
  {
    command: 'redo',
    keys: ['Ctrl', 'Shift', 'Z'],
    does: 'Redo',
    fits: (event) => control(event) && event.code === 'KeyZ' && event.shiftKey,
    goesOn: true,
  },
  {
    command: 'cellBelow',
    keys: ['↓'],
    does: 'In a table: the row below',
    fits: inField(plain('ArrowDown')),
    goesOn: true,
  },
  {
    command: 'cellAbove',
    keys: ['↑'],
    does: 'In a table: the row above',
    fits: inField(plain('ArrowUp')),
    goesOn: true,
  },
  { command: 'addRow', keys: ['Alt', 'I'], does: 'Add a row to the table', fits: alt('KeyI') },
  { command: 'removeRow', keys: ['Alt', 'K'], does: 'Remove the row', fits: alt('KeyK') },
  { command: 'duplicateRow', keys: ['Alt', 'C'], does: 'Duplicate the row', fits: alt('KeyC') },
  { command: 'fillDown', keys: ['Alt', 'V'], does: 'Copy the value into all rows below', fits: alt('KeyV') },
  { command: 'moveUp', keys: ['Alt', '↑'], does: 'Move the row up', fits: alt('ArrowUp'), goesOn: true },
  { command: 'moveDown', keys: ['Alt', '↓'], does: 'Move the row down', fits: alt('ArrowDown'), goesOn: true },
  { command: 'grid', keys: ['Alt', 'G'], does: 'Lines of the table on the page', fits: alt('KeyG') },
  {
    command: 'zoomIn',
    keys: ['Alt', '+'],
    does: 'Zoom in',
    fits: (event) => event.altKey && ['Equal', 'NumpadAdd', 'BracketRight'].includes(event.code),
    goesOn: true,
  },
  {
    command: 'zoomOut',
    keys: ['Alt', '-'],
    does: 'Zoom out',
    fits: (event) => event.altKey && ['Minus', 'NumpadSubtract', 'Slash'].includes(event.code),
    goesOn: true,
  },
  { command: 'zoomFit', keys: ['Alt', '0'], does: 'Fit to width', fits: alt('Digit0') },
  { command: 'turn', keys: ['Alt', 'T'], does: 'Turn the view', fits: alt('KeyT') },
  {
    command: 'search',
    keys: ['Ctrl', 'F'],
    does: 'Search in the text of the pages',
    fits: (event) => control(event) && event.code === 'KeyF' && !event.shiftKey,
  },
  { command: 'history', keys: ['Alt', 'H'], does: 'History of the value', fits: alt('KeyH') },
  { command: 'leave', keys: ['Esc'], does: 'Out of the field, then back to the list', fits: plain('Escape') },
  {
    command: 'sheet',
    keys: ['F1'],
    does: 'These shortcuts (also ?, outside of fields)',
    fits: (event) => event.key === 'F1' || (event.key === '?' && !event.inField),
  },
];

/** What an event means; undefined: nothing of its own, null: nothing at all, as the key is only held down. */
export function commandOf(event: Pressed): Command | null | undefined {
  const shortcut = SHORTCUTS.find(({ fits }) => fits(event));
  // Held down, Enter would press the button that has got the focus by it.
  if (event.repeat && (shortcut ? !shortcut.goesOn : event.key === 'Enter')) return null;
  return shortcut?.command;
}
