import { readFileSync } from 'node:fs';
import path from 'node:path';
import { orderWords } from '../layout/lines';
import type { Position } from '../recognition';
import type { CorpusDocument, Truth } from './corpus';

/** Words and habits of one language: `data/synthesis.json`. */
interface Language {
  locale: string;
  dates: string[];
  currency: [code: string, sign: string];
  forms: string[];
  vat: string;
  iban: string;
  rates: number[];
  months: string;
  companies: string;
  trades: string;
  streets: string;
  towns: string;
  townFormat: string;
  streetFormat: string;
  items: string;
  labels: Record<string, string[]>;
  termsTexts: string[];
}

const LANGUAGES: Record<string, Language> = JSON.parse(
  readFileSync(path.join(__dirname, '..', '..', 'data', 'synthesis.json'), 'utf8'),
);

/** Numbers that look random and are the same in every run. */
class Dice {
  constructor(private seed: number) {}

  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let t = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  chance = (probability: number) => this.next() < probability;
  whole = (least: number, most: number) => least + Math.floor(this.next() * (most - least + 1));
  pick = <T>(list: readonly T[]): T => list[Math.floor(this.next() * list.length)]!;
  digits = (count: number) => Array.from({ length: count }, () => this.whole(0, 9)).join('');
}

/**
 * Makes invoices and receipts that never were, in many layouts and languages, as the text stage would give them.
 *
 * @param count how many; the first ones of a longer series are the same
 */
export function synthesize(count: number): CorpusDocument[] {
  const codes = Object.keys(LANGUAGES);
  return Array.from({ length: count }, (_, at) => makeDocument(at, codes[at % codes.length]!));
}

type Labelled = [label: string, field: string | undefined, text: string];

function makeDocument(number: number, code: string): CorpusDocument {
  const dice = new Dice(1000 + number * 7919);
  const language = LANGUAGES[code]!;
  const content = invent(dice, language);
  const sheet = new Sheet(dice, dice.chance(0.3));
  const layout = dice.pick(LAYOUTS);
  layout(sheet, content, dice, language);
  const fields = Object.fromEntries(
    Object.entries(content.values).filter(([field]) => sheet.shown.has(field)),
  ) as Truth['fields'];
  const truth: Truth = {
    file: `synthetic-${number}`,
    source: 'synthesised',
    kind: sheet.noisy ? 'scan' : 'digital',
    language: code,
    fields: { ...fields, document_type: 'tax_invoice' },
    absent: JUDGED.filter((field) => !(field in fields)),
    tables: sheet.shown.has('line_items') ? { line_items: content.items } : {},
  };
  return { truth, pages: [sheet.finish()] };
}

const JUDGED =
  'document_id date_issue date_due order_id customer_id amount_total amount_total_base amount_total_tax amount_paid iban bic sender_name sender_address sender_vat_id recipient_name recipient_address recipient_vat_id terms const_sym spec_sym delivery_note_id'.split(
    ' ',
  );

interface Content {
  /** Values as the engine writes them. */
  values: Record<string, string>;
  /** How they are printed. */
  printed: Record<string, string>;
  items: Record<string, string>[];
  printedItems: string[][];
}

function invent(dice: Dice, language: Language): Content {
  const words = (text: string) => text.split(' ').map((word) => word.replace(/_/g, ' '));
  const company = () => {
    const form = dice.pick(language.forms);
    const trade = dice.chance(0.7) ? ` ${dice.pick(words(language.trades))}` : '';
    return `${dice.pick(words(language.companies))}${trade}${form ? ` ${form}` : ''}`;
  };
  const address = (): string[] => {
    const [, town, zip] = /^(.*) (\S+)$/.exec(dice.pick(language.towns.split('|')))!;
    const fill = (format: string, parts: Record<string, string>) =>
      format.replace(/[SNTZ]/g, (letter) => parts[letter]!.replace(/_/g, ' '));
    const street = fill(language.streetFormat, {
      S: dice.pick(language.streets.split(' ')),
      N: String(dice.whole(1, 180)),
    });
    return [street, fill(language.townFormat, { T: town!, Z: zip! })];
  };
  const money = (value: number) => writeNumber(value.toFixed(2), language.locale);
  const date = (days: number) => new Date(Date.UTC(2019, 0, 1) + days * 86_400_000).toISOString().slice(0, 10);
  const format = dice.pick(language.dates);
  const day = dice.whole(0, 2200);
  const [issue, due, other] = [date(day), date(day + dice.pick([8, 14, 30, 60])), date(day - dice.whole(1, 20))];
  const rate = dice.pick(language.rates);
  const items: Record<string, string>[] = [];
  const printedItems: string[][] = [];
  let base = 0;
  const names = language.items.split('|');
  for (let at = dice.whole(1, 7); at > 0; at--) {
    const [name, quantity, price] = [dice.pick(names), dice.whole(1, 12), dice.whole(199, 45_000) / 100];
    const amount = Math.round(quantity * price * 100) / 100;
    base = Math.round((base + amount) * 100) / 100;
    items.push({
      table_column_description: name,
      table_column_quantity: String(quantity),
      table_column_amount_base: price.toFixed(2),
      table_column_amount_total_base: amount.toFixed(2),
    });
    printedItems.push([name, String(quantity), money(price), money(amount)]);
  }
  const tax = Math.round(base * rate) / 100;
  const total = Math.round((base + tax) * 100) / 100;
  const paid = dice.chance(0.15) ? Math.round(total * 30) / 100 : 0;
  const seller = address();
  const buyer = address();
  const number = dice.pick([
    () => dice.digits(dice.whole(4, 10)),
    () => `${issue.slice(0, 4)}${dice.pick(['-', '/', ''])}${dice.digits(dice.whole(3, 5))}`,
    () => `${dice.pick(['INV', 'R', 'FA', 'F', 'RE'])}-${dice.digits(dice.whole(3, 6))}`,
  ])();
  const iban = makeIban(dice, language.iban);
  const bic = `${dice.pick(['DEUT', 'BNPA', 'INGB', 'COBA', 'UNCR'])}${language.iban}${dice.pick(['2L', 'PP', '22', 'FF'])}${dice.pick(['', 'XXX'])}`;
  const values: Record<string, string> = {
    document_id: number,
    date_issue: issue,
    date_due: due,
    order_id: dice.pick([() => `PO${dice.digits(5)}`, () => dice.digits(7), () => `4500${dice.digits(6)}`])(),
    customer_id: dice.pick([() => dice.digits(5), () => `K${dice.digits(4)}`, () => `C-${dice.digits(5)}`])(),
    amount_total_base: base.toFixed(2),
    amount_total_tax: tax.toFixed(2),
    amount_total: total.toFixed(2),
    amount_due: (total - paid).toFixed(2),
    ...(paid > 0 && { amount_paid: paid.toFixed(2) }),
    iban,
    bic,
    sender_name: company(),
    sender_address: seller.join(', '),
    sender_vat_id: language.vat.replace(/#/g, () => dice.digits(1)),
    recipient_name: company(),
    recipient_address: buyer.join(', '),
    currency: language.currency[0],
    terms: dice.pick(language.termsTexts),
  };
  const printed: Record<string, string> = Object.fromEntries(
    Object.entries(values).map(([field, value]) => {
      if (field.startsWith('amount_')) return [field, money(Number(value))];
      if (field.startsWith('date_')) return [field, writeDate(value, format, language.months.split(' '))];
      return [field, value];
    }),
  );
  printed.iban = dice.chance(0.7) ? iban.replace(/(.{4})(?=.)/g, '$1 ') : iban;
  printed.other_date = writeDate(other, format, language.months.split(' '));
  printed.rate = `${String(rate).replace('.', language.locale.at(-3)!)} %`;
  return { values, printed, items, printedItems };
}

function writeNumber(value: string, locale: string): string {
  const [whole, fraction] = value.split('.') as [string, string];
  return `${whole.replace(/\B(?=(\d{3})+$)/g, locale[1]!)}${locale.at(-3)}${fraction}`;
}

function writeDate(iso: string, format: string, months: string[]): string {
  const [year, month, day] = iso.split('-') as [string, string, string];
  return format.replace(/YYYY|MMMM|MM|M|DD|D/g, (part) => {
    const texts: Record<string, string> = {
      YYYY: year,
      MMMM: months[Number(month) - 1]!,
      MM: month,
      M: String(Number(month)),
      DD: day,
      D: String(Number(day)),
    };
    return texts[part]!;
  });
}

const IBAN_DIGITS: Record<string, string> = {
  GB: 'BARC99999999999999',
  NL: 'INGB9999999999',
  IT: 'X9999999999999999999999',
};
const IBAN_LENGTHS: Record<string, number> = { DE: 18, FR: 23, CZ: 20, PL: 24, ES: 20, SE: 20, DK: 14, HU: 24, PT: 21 };

function makeIban(dice: Dice, country: string): string {
  const pattern = IBAN_DIGITS[country] ?? '9'.repeat(IBAN_LENGTHS[country] ?? 18);
  const account = pattern.replace(/9/g, () => dice.digits(1));
  const numeric = [...`${account}${country}00`]
    .map((one) => (/\d/.test(one) ? one : String(one.charCodeAt(0) - 55)))
    .join('');
  const check = 98n - (BigInt(numeric) % 97n);
  return `${country}${String(check).padStart(2, '0')}${account}`;
}

// ------------------------------------------------------------------ layouts

type Layout = (sheet: Sheet, content: Content, dice: Dice, language: Language) => void;

/** Labels and values that a document shows; some are left out, and some that nobody asked for are put in. */
function choosePairs(dice: Dice, { printed }: Content, { labels }: Language): Labelled[] {
  const label = (name: string) => dice.pick(labels[name]!);
  const pairs: Labelled[] = [
    [label('document_id'), 'document_id', printed.document_id!],
    [label('date_issue'), 'date_issue', printed.date_issue!],
  ];
  if (dice.chance(0.7)) pairs.push([label('date_due'), 'date_due', printed.date_due!]);
  if (dice.chance(0.5)) pairs.push([label('order_id'), 'order_id', printed.order_id!]);
  if (dice.chance(0.5)) pairs.push([label('customer_id'), 'customer_id', printed.customer_id!]);
  if (dice.chance(0.4)) pairs.push([label('other_date'), undefined, printed.other_date!]);
  if (dice.chance(0.3)) pairs.push([label('terms'), 'terms', printed.terms!]);
  if (dice.chance(0.4))
    pairs.push([label('phone'), undefined, `+${dice.digits(2)} ${dice.digits(3)} ${dice.digits(6)}`]);
  if (dice.chance(0.3)) pairs.sort(() => dice.next() - 0.5);
  return pairs;
}

function chooseTotals(
  dice: Dice,
  { printed, values }: Content,
  { labels, currency }: Language,
  shown: Set<string>,
): Labelled[] {
  const label = (name: string) => dice.pick(labels[name]!);
  const unit = dice.chance(0.5) ? ` ${dice.pick(currency)}` : '';
  const tax = dice.chance(0.5) ? `${label('amount_total_tax')} ${printed.rate}` : label('amount_total_tax');
  if (unit) shown.add('currency');
  const pairs: Labelled[] = [
    [label('amount_total_base'), 'amount_total_base', printed.amount_total_base! + unit],
    [tax, 'amount_total_tax', printed.amount_total_tax! + unit],
    [label('amount_total'), 'amount_total', printed.amount_total! + unit],
  ];
  if (dice.chance(0.1)) pairs.splice(0, 1);
  if (values.amount_paid) pairs.push([label('amount_paid'), 'amount_paid', printed.amount_paid! + unit]);
  if (values.amount_paid || dice.chance(0.4))
    pairs.push([label('amount_due'), 'amount_due', printed.amount_due! + unit]);
  return pairs;
}

const beside: Layout = (sheet, content, dice, language) => {
  const { printed, values } = content;
  const left = 90;
  sheet.party(dice.chance(0.5) ? left : 760, 80, 'sender', values, undefined, 26);
  if (dice.chance(0.6)) {
    const colon = dice.pick([':', '']);
    sheet.pair(
      820,
      230,
      [`${dice.pick(language.labels.sender_vat_id!)}${colon}`, 'sender_vat_id', printed.sender_vat_id!],
      200,
    );
  }
  if (dice.chance(0.4)) sheet.text(left, 300, `${values.sender_name}, ${values.sender_address}`, { size: 15 });
  sheet.party(left, 330, 'recipient', values, dice.chance(0.5) ? dice.pick(language.labels.recipient!) : undefined, 30);
  sheet.text(left, 520, dice.pick(language.labels.title!), { size: 36 });
  const colon = dice.pick([':', '', ':']);
  const right = dice.chance(0.5);
  const pairs = choosePairs(dice, content, language);
  pairs.forEach(([label, field, text], at) => {
    sheet.pair(right ? 720 : left, (right ? 330 : 590) + at * 30, [`${label}${colon}`, field, text], right ? 230 : 260);
  });
  foot(sheet, content, dice, language, right ? 640 : 620 + pairs.length * 30);
};

const grid: Layout = (sheet, content, dice, language) => {
  const { values, printed } = content;
  sheet.text(90, 70, dice.pick(language.labels.title!), { size: 34 });
  sheet.party(90, 150, 'sender', values, dice.pick(language.labels.sender!), 28);
  sheet.party(660, 150, 'recipient', values, dice.pick(language.labels.recipient!), 28);
  sheet.pair(90, 300, [dice.pick(language.labels.sender_vat_id!), 'sender_vat_id', printed.sender_vat_id!], 180);
  choosePairs(dice, content, language).forEach(([label, field, text], at) => {
    const x = 90 + (at % 4) * 275;
    const y = 380 + Math.floor(at / 4) * 80;
    sheet.text(x, y, label, { size: 16 });
    sheet.text(x, y + 26, text, { field });
  });
  foot(sheet, content, dice, language, 560);
};

const receipt: Layout = (sheet, content, dice, language) => {
  const { values, printed } = content;
  sheet.party(400, 80, 'sender', values, undefined, 28);
  sheet.pair(400, 200, [`${dice.pick(language.labels.sender_vat_id!)}:`, 'sender_vat_id', printed.sender_vat_id!], 160);
  sheet.pair(400, 240, [`${dice.pick(language.labels.document_id!)}:`, 'document_id', printed.document_id!], 240);
  sheet.pair(400, 270, [`${dice.pick(language.labels.date_issue!)}:`, 'date_issue', printed.date_issue!], 240);
  content.printedItems.forEach(([name, quantity, price, amount], at) => {
    sheet.text(400, 340 + at * 30, `${quantity} x ${name}`);
    sheet.text(860, 340 + at * 30, amount!, { right: true });
    void price;
  });
  let y = 360 + content.printedItems.length * 30;
  for (const [label, field, text] of chooseTotals(dice, content, language, sheet.shown)) {
    sheet.text(400, y, label);
    sheet.text(860, y, text, { field, right: true });
    y += 32;
  }
};

const LAYOUTS: Layout[] = [beside, beside, grid, grid, receipt];

function foot(sheet: Sheet, content: Content, dice: Dice, language: Language, top: number): void {
  const { printed, printedItems } = content;
  const { labels } = language;
  const columns = [
    dice.pick(labels.description!),
    dice.pick(labels.quantity!),
    dice.pick(labels.price!),
    dice.pick(labels.amount!),
  ];
  const edges = [90, 640, 900, 1150];
  columns.forEach((title, at) => {
    sheet.text(edges[at]!, top, title, { right: at > 0 });
  });
  printedItems.forEach((cells, row) => {
    cells.forEach((cell, at) => {
      sheet.text(edges[at]!, top + 40 + row * 32, cell, { right: at > 0 });
    });
  });
  sheet.shown.add('line_items');
  let y = top + 80 + printedItems.length * 32;
  const start = dice.pick([560, 760, 800]);
  for (const [label, field, text] of chooseTotals(dice, content, language, sheet.shown)) {
    sheet.text(start, y, label);
    sheet.text(1150, y, text, { field, right: true });
    y += 34;
  }
  if (dice.chance(0.8)) {
    sheet.pair(90, y + 60, [`${dice.pick(labels.iban!)}:`, 'iban', printed.iban!], 110);
    if (dice.chance(0.7)) sheet.pair(90, y + 90, [`${dice.pick(labels.bic!)}:`, 'bic', printed.bic!], 110);
  }
}

// ------------------------------------------------------------------ the page

const LOOKALIKES: [string, string][] = [
  ['0', 'O'],
  ['1', 'l'],
  ['5', 'S'],
  ['8', 'B'],
  ['.', ','],
  ['m', 'rn'],
  ['e', 'c'],
  ['i', 'í'],
];

/** A page under way: words with boxes, and the fields that were shown. */
class Sheet {
  readonly shown = new Set<string>();
  private readonly words: { text: string; position: Position; confidence: number; turn: 0 }[] = [];
  private readonly zoom: number;

  constructor(
    private readonly dice: Dice,
    readonly noisy: boolean,
  ) {
    this.zoom = dice.pick([0.85, 0.95, 1, 1.1]);
  }

  text(
    x: number,
    y: number,
    text: string,
    options: { size?: number; field?: string | undefined; right?: boolean } = {},
  ): void {
    const size = (options.size ?? 20) * this.zoom;
    const wide = (part: string) => [...part].reduce((sum, letter) => sum + widthOf(letter), 0) * size;
    let left = options.right ? x - wide(text) : x;
    for (const part of text.split(' ')) {
      if (part !== '') this.put(part, [left, y, left + wide(part), y + size]);
      left += wide(`${part} `);
    }
    if (options.field) this.shown.add(options.field);
  }

  pair(x: number, y: number, [label, field, text]: Labelled, gap: number): void {
    this.text(x, y, label);
    this.text(x + gap, y, text, { field });
  }

  party(
    x: number,
    y: number,
    role: 'sender' | 'recipient',
    values: Record<string, string>,
    label: string | undefined,
    step: number,
  ): void {
    const name = values[`${role}_name`]!;
    const lines = [...(label ? [label] : []), name, ...values[`${role}_address`]!.split(', ')];
    lines.forEach((line, at) => {
      this.text(x, y + at * step, line);
    });
    this.shown.add(`${role}_name`);
    this.shown.add(`${role}_address`);
  }

  finish() {
    const source = this.noisy ? ('ocr' as const) : ('text' as const);
    return { number: 1, width: 1240, height: 1754, rotation: 0, words: orderWords(this.words), source };
  }

  private put(text: string, position: Position): void {
    if (!this.noisy) {
      this.words.push({ text, position, confidence: 1, turn: 0 });
      return;
    }
    const misread = this.dice.chance(0.03);
    const [from, to] = this.dice.pick(LOOKALIKES);
    const confidence = misread ? 0.3 + 0.5 * this.dice.next() : 0.8 + 0.17 * this.dice.next();
    const shift = () => (this.dice.next() - 0.5) * 3;
    const [left, top, right, bottom] = position;
    // OCR's boxes end at the ink.
    const ink: Position = [left + shift(), top + 4 + shift(), right + shift(), bottom - 3 + shift()];
    this.words.push({ text: misread ? text.replace(from, to) : text, position: ink, confidence, turn: 0 });
  }
}

/** Width of a letter in heights of the line, as in a common sans serif. */
function widthOf(letter: string): number {
  if (/[il.,:;'| !]/.test(letter)) return 0.24;
  if (/[mwMW@%]/.test(letter)) return 0.72;
  return /[A-Z]/.test(letter) ? 0.58 : 0.48;
}
