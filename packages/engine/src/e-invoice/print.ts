import { readFileSync } from 'node:fs';
import fontkit from '@pdf-lib/fontkit';
import { PDFDocument, type PDFFont, type PDFPage, rgb } from 'pdf-lib';
import type { Position } from '../recognition';
import { sizeOfPdfPage } from '../text/page-size';
import type { EInvoice } from './e-invoice';

/** An invoice of XML as pages for people. */
export interface PrintedInvoice {
  pdf: Uint8Array;
  /** Where each value stands: key of {@link placeOf} -> page and position. */
  places: Map<string, Place>;
}

export interface Place {
  page: number;
  position: Position;
}

/** Key of a place: of a field, or of a cell in a row (counted from 0) of a table. */
export const placeOf = (name: string, row?: { table: string; row: number }): string =>
  row ? `${row.table}/${row.row}/${name}` : name;

const [WIDTH, HEIGHT] = [595.28, 841.89];
const MARGIN = 42;
const SIZE = 8.5;
const LEADING = 12;
/** Rows beyond this are in the tables, but not printed. */
const MAX_ROWS = 5000;

const TITLES: Record<string, string> = {
  tax_invoice: 'Invoice',
  credit_note: 'Credit note',
  debit_note: 'Debit note',
  proforma: 'Proforma invoice',
  order: 'Order',
};

const PARTIES: [title: string, prefix: string][] = [
  ['Seller', 'sender'],
  ['Buyer', 'recipient'],
  ['Delivery', 'recipient_delivery'],
];
const PARTY_LABELS: [suffix: string, label: string][] = [
  ['name', ''],
  ['address', ''],
  ['vat_id', 'VAT ID'],
  ['dic', 'Tax number'],
  ['ic', 'Company ID'],
  ['email', 'E-mail'],
];

const LABELS: [field: string, label: string][] = [
  ['document_id', 'Document number'],
  ['date_issue', 'Date of issue'],
  ['date_uzp', 'Date of supply'],
  ['date_due', 'Due date'],
  ['order_id', 'Order number'],
  ['sender_order_id', 'Order number of the seller'],
  ['delivery_note_id', 'Delivery note'],
  ['customer_id', 'Customer number'],
  ['currency', 'Currency'],
  ['payment_method', 'Payment method'],
  ['payment_method_type', 'Paid by'],
  ['terms', 'Terms of payment'],
  ['iban', 'IBAN'],
  ['bic', 'BIC'],
  ['account_num', 'Account number'],
  ['bank_num', 'Bank code'],
  ['var_sym', 'Variable symbol'],
  ['const_sym', 'Constant symbol'],
  ['spec_sym', 'Specific symbol'],
];

const TOTALS: [field: string, label: string][] = [
  ['amount_total_base', 'Total without tax'],
  ['amount_total_tax', 'Tax'],
  ['amount_rounding', 'Rounding'],
  ['amount_total', 'Total'],
  ['amount_paid', 'Paid'],
  ['amount_due', 'Due'],
];

interface Column {
  name: string;
  title: string;
  /** Left edge for text, right edge for numbers, in points. */
  at: number;
  number?: boolean;
}

const ITEM_COLUMNS: Column[] = [
  { name: 'table_column_code', title: 'Code', at: MARGIN },
  { name: 'table_column_description', title: 'Description', at: MARGIN + 72 },
  { name: 'table_column_quantity', title: 'Quantity', at: 328, number: true },
  { name: 'table_column_uom', title: 'Unit', at: 334 },
  { name: 'table_column_amount_base', title: 'Price', at: 420, number: true },
  { name: 'table_column_rate', title: 'Tax %', at: 456, number: true },
  { name: 'table_column_amount_total_base', title: 'Net', at: 505, number: true },
  { name: 'table_column_amount_total', title: 'Gross', at: WIDTH - MARGIN, number: true },
];
const TAX_COLUMNS: Column[] = [
  { name: 'tax_detail_code', title: 'Code', at: MARGIN },
  { name: 'tax_detail_rate', title: 'Tax %', at: 150, number: true },
  { name: 'tax_detail_base', title: 'Base', at: 230, number: true },
  { name: 'tax_detail_tax', title: 'Tax', at: 310, number: true },
  { name: 'tax_detail_total', title: 'Total', at: 390, number: true },
];

/** Prints an invoice that came without pages. */
export async function printEInvoice(invoice: EInvoice): Promise<PrintedInvoice> {
  const printer = await Printer.start();
  const { fields, taxDetails, lineItems } = invoice;
  const value = (field: string) => fields[field];
  const title = TITLES[value('document_type') ?? ''] ?? 'Invoice';
  printer.write(MARGIN, title, { size: 16, bold: true, key: value('document_type') && 'document_type' });
  printer.down(12);
  printer.write(MARGIN, `Printed from the electronic invoice (${invoice.syntax})`, { gray: true });
  printer.down(26);
  printParties(printer, fields);
  for (const [field, label] of LABELS) if (value(field)) printer.pair(label, field, value(field)!);
  printer.down(LEADING);
  if (lineItems.length > 0) printer.table('line_items', ITEM_COLUMNS, lineItems);
  if (taxDetails.length > 0) printer.table('tax_details', TAX_COLUMNS, taxDetails);
  for (const [field, label] of TOTALS) if (value(field)) printer.pair(label, field, value(field)!);
  return printer.finish();
}

function printParties(printer: Printer, fields: Record<string, string>): void {
  const blocks = PARTIES.filter(([, prefix]) => fields[`${prefix}_name`] || fields[`${prefix}_address`]);
  const wide = (WIDTH - 2 * MARGIN) / 3;
  const top = printer.y;
  let lowest = top;
  blocks.forEach(([title, prefix], at) => {
    printer.y = top;
    const left = MARGIN + at * wide;
    printer.write(left, title, { bold: true });
    printer.down(LEADING);
    for (const [suffix, label] of PARTY_LABELS) {
      const field = `${prefix}_${suffix}`;
      const text = fields[field];
      if (!text) continue;
      const shift = label ? 66 : 0;
      if (label) printer.write(left, label, { gray: true });
      printer.paragraph(left + shift, wide - shift - 10, text, field);
    }
    lowest = Math.min(lowest, printer.y);
  });
  printer.y = lowest - LEADING;
}

const GRAY = rgb(0.4, 0.4, 0.4);
const BLACK = rgb(0, 0, 0);
let fonts: { regular: Buffer; bold: Buffer } | undefined;

/** A pen that goes down the pages. */
class Printer {
  /** Baseline of the next text, in points from the bottom. */
  y = HEIGHT - MARGIN - 12;
  private page: PDFPage;
  private readonly places = new Map<string, Place>();

  private constructor(
    private readonly document: PDFDocument,
    private readonly regular: PDFFont,
    private readonly boldFont: PDFFont,
  ) {
    this.page = document.addPage([WIDTH, HEIGHT]);
  }

  static async start(): Promise<Printer> {
    fonts ??= {
      regular: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
      bold: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
    };
    const document = await PDFDocument.create();
    document.registerFontkit(fontkit);
    return new Printer(
      document,
      await document.embedFont(fonts.regular, { subset: true }),
      await document.embedFont(fonts.bold, { subset: true }),
    );
  }

  down(points: number): void {
    this.y -= points;
    if (this.y > MARGIN) return;
    this.page = this.document.addPage([WIDTH, HEIGHT]);
    this.y = HEIGHT - MARGIN - 12;
  }

  /** Writes one line; `key` names the place of a value. */
  write(
    x: number,
    text: string,
    options: { size?: number; bold?: boolean; gray?: boolean; right?: boolean; key?: string | undefined } = {},
  ): void {
    const { size = SIZE, bold = false, gray = false, right = false, key } = options;
    const font = bold ? this.boldFont : this.regular;
    const clean = printable(text);
    const wide = font.widthOfTextAtSize(clean, size);
    const left = right ? x - wide : x;
    this.page.drawText(clean, { x: left, y: this.y, size, font, color: gray ? GRAY : BLACK });
    if (key !== undefined) this.remember(key, [left, this.y + size * 0.95, left + wide, this.y - size * 0.28]);
  }

  pair(label: string, field: string, text: string): void {
    this.write(MARGIN, label, { gray: true });
    this.paragraph(MARGIN + 150, WIDTH - 2 * MARGIN - 150, text, field);
  }

  /** Writes text over as many lines as it needs. */
  paragraph(x: number, width: number, text: string, key: string): void {
    for (const line of this.wrap(text, width)) {
      this.write(x, line, { key });
      this.down(LEADING);
    }
  }

  table(table: string, columns: Column[], rows: Record<string, string>[]): void {
    const used = columns.filter(({ name }) => rows.some((row) => row[name]));
    for (const { title, at, number } of used) this.write(at, title, { bold: true, right: number ?? false });
    this.down(LEADING + 2);
    rows.slice(0, MAX_ROWS).forEach((cells, row) => {
      const text = used.find(({ name }) => name === 'table_column_description');
      const lines = text ? this.wrap(cells[text.name] ?? '', 195) : [];
      for (const { name, at, number } of used) {
        const cell = cells[name];
        if (!cell || name === text?.name) continue;
        this.write(at, this.fit(cell, number ? 70 : 68), {
          right: number ?? false,
          key: placeOf(name, { table, row }),
        });
      }
      for (const line of lines.slice(0, 6)) {
        this.write(text!.at, line, { key: placeOf(text!.name, { table, row }) });
        if (line !== lines.slice(0, 6).at(-1)) this.down(LEADING);
      }
      this.down(LEADING + 2);
    });
    this.down(LEADING);
  }

  async finish(): Promise<PrintedInvoice> {
    return { pdf: await this.document.save(), places: this.places };
  }

  private wrap(text: string, width: number): string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of printable(text).split(' ')) {
      const longer = line ? `${line} ${word}` : word;
      if (line && this.regular.widthOfTextAtSize(longer, SIZE) > width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return line ? [...lines, line] : lines;
  }

  private fit(text: string, width: number): string {
    let short = text;
    while (short.length > 1 && this.regular.widthOfTextAtSize(printable(short), SIZE) > width)
      short = short.slice(0, -1);
    return short;
  }

  /** From points, counted from the bottom, to pixels of the page image; a value over several lines has one box. */
  private remember(key: string, [left, top, right, bottom]: [number, number, number, number]): void {
    const [width, height] = sizeOfPdfPage(WIDTH, HEIGHT);
    const [x, y] = [width / WIDTH, height / HEIGHT];
    const box: Position = [left * x, (HEIGHT - top) * y, right * x, (HEIGHT - bottom) * y].map(
      (edge) => Math.round(edge * 10) / 10,
    ) as unknown as Position;
    const page = this.document.getPageCount();
    const known = this.places.get(key);
    if (known && known.page !== page) return;
    const [l, t, r, b] = known?.position ?? box;
    this.places.set(key, {
      page,
      position: [Math.min(l, box[0]), Math.min(t, box[1]), Math.max(r, box[2]), Math.max(b, box[3])],
    });
  }
}

/** Without characters that cannot be drawn in a line. */
const printable = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
