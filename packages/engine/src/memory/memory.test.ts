import { analyze } from '../analyze';
import { layOutPage } from '../layout/page-layout';
import { pageOf } from '../page-of-text';
import { type ConfirmedValue, keepCorrections, type Lesson, learnLesson } from './lesson';
import { keysOfDocument, recall } from './recall';
import { findText, looksSame } from './spots';

/** A letter whose number has a label that says nothing. */
const letter = (reference: string, { vatId = 'DE136695976', name = 'Blechwerk Anders GmbH', total = '119,00' } = {}) =>
  pageOf(`
    ${name}
    Lange Gasse 4, 90402 Nürnberg
    USt-IdNr. ${vatId}

    Rechnung vom 03.05.2024
    Zeichen:   ${reference}
    Unser Kunde seit 1998

    Nettobetrag      100,00 EUR
    MwSt 19%          19,00 EUR
    Gesamtbetrag     ${total} EUR
  `);

const bestOf = ({ fields }: Pick<ReturnType<typeof recall>, 'fields'>) =>
  Object.fromEntries(Object.entries(fields).map(([field, [best]]) => [field, best!.value]));
const read = (page: ReturnType<typeof pageOf>) => ({ pages: [page], ...analyze([page]) });

/** The lesson of a letter after a person has put values right. */
function teach(page: ReturnType<typeof pageOf>, corrections: Record<string, string>): Lesson {
  const { fields } = read(page);
  const names = new Set([...Object.keys(fields), ...Object.keys(corrections)]);
  const values = [...names].map((field): [string, ConfirmedValue] => {
    const best = fields[field]?.[0];
    const kept = best && !(field in corrections);
    return [
      field,
      {
        value: corrections[field] ?? best!.value,
        page: kept ? best.page : null,
        position: kept ? best.position : null,
        read: best ? { value: best.value, page: best.page, position: best.position } : null,
      },
    ];
  });
  return learnLesson([page], Object.fromEntries(values))!;
}

const FIRST = { document_id: 'BA-77/2024' };

test('what was corrected once is read at the same place of the next document', () => {
  const next = read(letter('BA-91/2024'));
  expect(bestOf(next).document_id).not.toBe('BA-91/2024');
  const lesson = teach(letter('BA-77/2024'), FIRST);
  expect(lesson.keys).toContain('vat:de136695976');
  expect(keysOfDocument(next.fields)).toContain('vat:de136695976');
  const better = recall(next, [lesson]);
  expect(better.fields.document_id?.[0]).toMatchObject({ value: 'BA-91/2024', page: 1, confidence: 0.93 });
  expect(recall(next, [lesson, lesson]).fields.document_id?.[0]?.confidence).toBe(0.975);
});

test('a name that people typed because the letterhead is a picture comes back', () => {
  const lesson = teach(letter('BA-77/2024'), { sender_name: 'Anders Metall' });
  expect(recall(read(letter('BA-91/2024')), [lesson]).fields.sender_name?.[0]).toMatchObject({
    value: 'Anders Metall',
    position: null,
  });
});

test('a currency that people put right is right in the next document, and in those that come after', () => {
  const swiss = teach(letter('BA-77/2024'), { currency: 'chf' });
  const next = read(letter('BA-91/2024'));
  expect(bestOf(next).currency).toMatch(/^eur$/i);
  const better = recall(next, [swiss]);
  expect(better.fields.currency).toMatchObject([{ value: 'chf', confidence: 0.93 }]);
  const francs = { value: 'chf', page: null, position: null };
  const values = {
    sender_vat_id: { value: 'DE136695976', page: null, position: null, read: null },
    currency: { ...francs, read: francs },
  };
  const confirmed = keepCorrections(learnLesson([letter('BA-91/2024')], values)!, [], [swiss]);
  expect(bestOf(recall(read(letter('BA-95/2024')), [confirmed])).currency).toBe('chf');
  const right = keepCorrections(teach(letter('BA-92/2024'), {}), [], [swiss]);
  expect(bestOf(recall(next, [right, swiss])).currency).toMatch(/^eur$/i);
});

test('a value that people removed is not read there again', () => {
  const without = teach(letter('BA-77/2024'), { amount_due: '' });
  const next = read(letter('BA-91/2024', { total: '219,00' }));
  expect(next.fields.amount_due).toBeDefined();
  expect(recall(next, [without]).fields.amount_due).toBeUndefined();
});

test('a correction stays learned however many documents needed none', () => {
  // The engine takes another number for the document's, and is sure of it.
  const wrong = { value: '4711', page: null, position: null };
  const teachRight = (reference: string, earlier: Lesson | undefined) => {
    const page = letter(reference);
    const number = { value: reference, page: null, position: null };
    const values = {
      ...{ sender_vat_id: { value: 'DE136695976', page: null, position: null, read: null } },
      document_id: { ...number, read: earlier ? number : wrong },
    };
    return keepCorrections(learnLesson([page], values)!, [], earlier ? [earlier] : []);
  };
  let lesson = teachRight('BA-77/2024', undefined);
  for (let at = 1; at <= 6; at++) lesson = teachRight(`BA-8${at}/2024`, lesson);
  expect(lesson.fields.document_id).toMatchObject({ value: 'BA-86/2024', corrected: true });
  const next = read(letter('BA-91/2024'));
  const sure = { value: '4711', rawText: '4711', page: 1, position: null, confidence: 0.9 };
  const fields = { ...next.fields, document_id: [sure] };
  expect(bestOf(recall({ ...next, fields }, [lesson])).document_id).toBe('BA-91/2024');
});

test('other senders are left alone', () => {
  const lesson = teach(letter('BA-77/2024'), { ...FIRST, sender_name: 'Anders Metall' });
  const other = read(letter('BA-91/2024', { vatId: 'DE129273398', name: 'Holz Meier OHG' }));
  expect(recall(other, [lesson]).fields).toBe(other.fields);
});

test('a sender known by its name alone must have the same layout', () => {
  const noNumber = (page: ReturnType<typeof pageOf>) => ({
    ...page,
    words: page.words.filter(({ text }) => !/^DE\d/.test(text)),
  });
  const lesson = teach(noNumber(letter('BA-77/2024')), FIRST);
  expect(lesson.keys.every((key) => key.startsWith('name:'))).toBe(true);
  expect(bestOf(recall(read(noNumber(letter('BA-91/2024'))), [lesson])).document_id).toBe('BA-91/2024');
  const elsewhere = read(
    pageOf(`
      Blechwerk Anders GmbH
      Delivery    Wednesday    afternoon    Zeichen:  5512-4
      goods were returned without further explanation by courier
    `),
  );
  expect(recall(elsewhere, [lesson]).fields).toBe(elsewhere.fields);
});

test('numbers are never made up: a new IBAN is read, not the old one', () => {
  const withIban = (iban: string) => {
    const page = letter('BA-77/2024');
    const more = pageOf(`${'\n'.repeat(14)}    IBAN ${iban}`);
    const lines = Math.max(...page.words.map(({ line }) => line)) + 1;
    return { ...page, words: [...page.words, ...more.words.map((word) => ({ ...word, line: word.line + lines }))] };
  };
  const lesson = teach(withIban('DE02120300000000202051'), FIRST);
  expect(bestOf(recall(read(withIban('DE02500105170137075030')), [lesson])).iban).toBe('DE02500105170137075030');
});

test('names of fields that objects have anyway are values like others', () => {
  const lesson = teach(letter('BA-77/2024'), { constructor: 'x', ...FIRST });
  const { fields } = recall(read(letter('BA-91/2024')), [lesson, teach(letter('BA-77/2024'), FIRST)]);
  expect(bestOf({ fields }).document_id).toBe('BA-91/2024');
});

test('a document by which no sender can be known teaches nothing', () => {
  const nobody = { value: '1', page: null, position: null, read: null };
  expect(learnLesson([pageOf('Total 1,00')], { amount_total: nobody })).toBeUndefined();
});

test.each([
  ['GENODEF1MO4', 'GENODEF1M04', true],
  ['DET23456789', 'DE123456789', true],
  ['DE123456789', 'DE123456788', false],
  ['1O4', '104', false],
])('%s and %s look the same to OCR: %s', (a, b, same) => {
  expect(looksSame(a, b)).toBe(same);
});

test('a text is found over several lines beside other columns, with a misread letter', () => {
  const pages = [
    layOutPage(
      pageOf(`
        Rechnung an                  Blechwerk Anders GmbR
        Peter Kunde                  Lange Gasse 4
        Weg 1                        90402 Nürnberg
      `),
    ),
  ];
  expect(findText(pages, 'Blechwerk Anders GmbH\nLange Gasse 4\n90402 Nürnberg')).toMatchObject({ page: 1, share: 1 });
  expect(findText(pages, 'Holz Meier OHG')).toBeUndefined();
});

test('terms that people had to type are read in the next document, with its own date and amount', () => {
  const withTerms = (amount: string, date: string) =>
    pageOf(`
    Blechwerk Anders GmbH
    Lange Gasse 4, 90402 Nürnberg
    USt-IdNr. DE136695976

    Rechnung vom 03.05.2024
    Gesamtbetrag     ${amount} EUR

    Wir ziehen den Betrag von ${amount} EUR am ${date} von dem uns
    bekannten Konto ein, wie es vereinbart wurde
  `);
  const sentence = (amount: string, date: string) =>
    `Wir ziehen den Betrag von ${amount} EUR am ${date} von dem uns bekannten Konto ein, wie es vereinbart wurde`;
  const lesson = teach(withTerms('119,00', '17.05.2024'), { terms: sentence('119,00', '17.05.2024') });
  const better = recall(read(withTerms('238,00', '21.06.2024')), [lesson]);
  expect(better.fields.terms?.[0]).toMatchObject({
    value: sentence('238,00', '21.06.2024'),
    page: 1,
    confidence: 0.93,
  });
  const other = read(letter('BA-91/2024'));
  expect(bestOf(recall(other, [lesson])).terms).toBe(bestOf(other).terms);
});
