#!/usr/bin/env node
/**
 * Makes the sample documents of this folder and truth.json. Deterministic: run it again and nothing changes.
 * The companies are fictional; their check digits are right. Needs `qpdf` for encrypted.pdf.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import fontkit from '@pdf-lib/fontkit';
import { PDFDocument, rgb } from 'pdf-lib';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const require = createRequire(import.meta.url);
/** A font whose subsets pdf-lib embeds whole; fonts with short glyph offsets lose letters. */
const font = (style) => readFileSync(require.resolve(`dejavu-fonts-ttf/ttf/DejaVuSansCondensed${style}.ttf`));
const REGULAR = font('');
const BOLD = font('-Bold');

const A4 = [595.28, 841.89];
const black = rgb(0.1, 0.1, 0.1);
const grey = rgb(0.45, 0.45, 0.45);

// ------------------------------------------------------------------ check digits

const mod97 = (digits) => [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0);
const lettersToDigits = (text) => text.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
const iban = (country, account) =>
  country + String(98 - mod97(lettersToDigits(`${account}${country}00`))).padStart(2, '0') + account;
const inFours = (text) => text.replace(/(.{4})(?=.)/g, '$1 ');

/** Czech IČO: weights 8..2, modulo 11. */
function ico(seven) {
  const sum = [...seven].reduce((total, digit, index) => total + Number(digit) * (8 - index), 0);
  return seven + String((11 - (sum % 11)) % 10);
}

/** German USt-IdNr.: ISO 7064 modulo 11, 10. */
function germanVat(eight) {
  let product = 10;
  for (const digit of eight) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return `DE${eight}${(11 - product) % 10}`;
}

/** French SIREN: Luhn. */
function siren(eight) {
  for (let check = 0; check < 10; check++) {
    const sum = [...`${eight}${check}`].reverse().reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    if (sum % 10 === 0) return `${eight}${check}`;
  }
}
const frenchVat = (id) => `FR${String((12 + 3 * (Number(id) % 97)) % 97).padStart(2, '0')}${id}`;

/** British VAT number: weights 8..2, modulo 97. */
function britishVat(seven) {
  const sum = [...seven].reduce((total, digit, index) => total + Number(digit) * (8 - index), 0);
  return `GB${seven}${String(97 - (sum % 97)).padStart(2, '0')}`;
}

// ------------------------------------------------------------------ amounts

const cents = (value) => Math.round(value * 100 + (value < 0 ? -1e-6 : 1e-6));
const fixed = (inCents) => (inCents / 100).toFixed(2);
const group = (inCents, thousands, decimal) => {
  const [whole, part] = fixed(Math.abs(inCents)).split('.');
  return (inCents < 0 ? '-' : '') + whole.replace(/\B(?=(\d{3})+$)/g, thousands) + decimal + part;
};
const english = (inCents) => group(inCents, ',', '.');
const german = (inCents) => group(inCents, '.', ',');
const spaced = (inCents) => group(inCents, '\u00a0', ',');

/** Lines, taxes by rate and totals, in cents. */
function calculate(items) {
  const lines = items.map((item) => ({ ...item, total: cents(item.quantity * item.price) }));
  const rates = [...new Set(lines.map((line) => line.rate))].sort((a, b) => b - a);
  const taxes = rates.map((rate) => {
    const base = lines.filter((line) => line.rate === rate).reduce((sum, line) => sum + line.total, 0);
    return { rate, base, tax: Math.round((base * rate) / 100) };
  });
  const base = taxes.reduce((sum, tax) => sum + tax.base, 0);
  const tax = taxes.reduce((sum, one) => sum + one.tax, 0);
  return { lines, taxes, base, tax, total: base + tax };
}

/** What the tables of truth.json hold. */
const tablesOf = ({ lines, taxes }, columns) => ({
  tax_details: taxes.map(({ rate, base, tax }) => ({
    tax_detail_rate: String(rate),
    tax_detail_base: fixed(base),
    tax_detail_tax: fixed(tax),
  })),
  line_items: lines.map((line) => {
    const all = {
      table_column_code: line.code,
      table_column_description: line.text,
      table_column_quantity: String(line.quantity),
      table_column_uom: line.unit,
      table_column_rate: String(line.rate),
      table_column_amount_base: fixed(cents(line.price)),
      table_column_amount_total_base: fixed(line.total),
    };
    return Object.fromEntries(columns.map((column) => [`table_column_${column}`, all[`table_column_${column}`]]));
  }),
});

// ------------------------------------------------------------------ drawing

/** A page whose y runs down from the top edge, in points. */
async function paper(title, language) {
  const pdf = await PDFDocument.create();
  pdf.registerFontkit(fontkit);
  pdf.setTitle(title);
  pdf.setLanguage(language);
  pdf.setProducer('Intake samples');
  pdf.setCreationDate(new Date('2024-01-01T00:00:00Z'));
  pdf.setModificationDate(new Date('2024-01-01T00:00:00Z'));
  const regular = await pdf.embedFont(REGULAR, { subset: true });
  const bold = await pdf.embedFont(BOLD, { subset: true });
  const page = pdf.addPage(A4);
  const text = (x, y, content, { size = 9.5, strong = false, align = 'left', colour = black } = {}) => {
    const face = strong ? bold : regular;
    const width = face.widthOfTextAtSize(content, size);
    const left = align === 'right' ? x - width : align === 'center' ? x - width / 2 : x;
    page.drawText(content, { x: left, y: A4[1] - y, size, font: face, color: colour });
  };
  const lines = (x, y, content, options = {}) => {
    content.forEach((one, index) => text(x, y + index * (options.step ?? 13), one, options));
  };
  const rule = (x1, x2, y, thickness = 0.6, colour = grey) =>
    page.drawLine({ start: { x: x1, y: A4[1] - y }, end: { x: x2, y: A4[1] - y }, thickness, color: colour });
  const box = (x, y, width, height, options) =>
    page.drawRectangle({ x, y: A4[1] - y - height, width, height, ...options });
  return { pdf, text, lines, rule, box };
}

const save = async (name, pdf) => writeFileSync(path.join(here, name), await pdf.save({ useObjectStreams: false }));

const truth = {};

// ------------------------------------------------------------------ English: keys on the right, ruled table

async function makeEnglish(name, data) {
  const sums = calculate(data.items);
  const { pdf, text, lines, rule } = await paper(`${data.heading} ${data.number}`, 'en');
  text(50, 62, data.sender.name, { size: 17, strong: true });
  lines(50, 80, data.sender.address, { colour: grey });
  text(50, 80 + 13 * data.sender.address.length, `VAT Reg No: ${data.sender.vat}`, { colour: grey });
  text(545, 64, data.heading.toUpperCase(), { size: 22, strong: true, align: 'right' });
  let y = 90;
  for (const [key, value] of data.keys) {
    text(375, y, key, { strong: true });
    text(545, y, value, { align: 'right' });
    y += 15;
  }
  text(50, 185, data.toLabel ?? 'Bill to', { strong: true, colour: grey });
  lines(50, 200, [data.recipient.name, ...data.recipient.address]);
  const columns = [
    [50, 'left', 'Item'],
    [110, 'left', 'Description'],
    [355, 'right', 'Qty'],
    [425, 'right', 'Unit price'],
    [475, 'right', 'VAT %'],
    [545, 'right', 'Amount'],
  ];
  rule(50, 545, 282, 1.2, black);
  for (const [x, align, label] of columns) text(x, 296, label, { strong: true, align });
  rule(50, 545, 303);
  y = 320;
  for (const line of sums.lines) {
    const cells = [
      line.code,
      line.text,
      String(line.quantity),
      english(cents(line.price)),
      `${line.rate}%`,
      english(line.total),
    ];
    columns.forEach(([x, align], index) => {
      text(x, y, cells[index], { align });
    });
    y += 19;
  }
  rule(50, 545, y - 6);
  const total = (label, value, strong = false) => {
    y += 17;
    text(470, y, label, { align: 'right', strong });
    text(545, y, value, { align: 'right', strong });
  };
  total('Subtotal', english(sums.base));
  for (const { rate, tax } of sums.taxes) total(`VAT ${rate}%`, english(tax));
  total(data.totalLabel, `${data.symbol}${english(sums.total)}`, true);
  lines(50, y + 50, data.notes, { step: 14 });
  await save(name, pdf);
  truth[name] = {
    fields: {
      document_type: data.type,
      language: 'eng',
      document_id: data.number,
      sender_name: data.sender.name,
      sender_address: data.sender.address.join(', '),
      sender_vat_id: data.sender.vat,
      recipient_name: data.recipient.name,
      recipient_address: data.recipient.address.join(', '),
      currency: data.currency,
      amount_total_base: fixed(sums.base),
      amount_total_tax: fixed(sums.tax),
      amount_total: fixed(sums.total),
      ...data.truth,
    },
    tables: withoutBases(tablesOf(sums, ['code', 'description', 'quantity', 'amount_base', 'rate', 'amount_total_base'])),
  };
}

/** This layout does not print what the taxes are of. */
function withoutBases(tables) {
  const taxes = tables.tax_details.map(({ tax_detail_base: _, ...rest }) => rest);
  return { ...tables, tax_details: taxes };
}

const harbour = {
  name: 'Harbour & Finch Ltd',
  address: ['14 Quayside Row', 'Bristol BS1 4QA', 'United Kingdom'],
  vat: britishVat('3176542'),
};
const harbourIban = iban('GB', 'NWBK60161331926801');

await makeEnglish('invoice-en.pdf', {
  heading: 'Invoice',
  type: 'tax_invoice',
  number: 'HF-2024-0117',
  sender: harbour,
  recipient: { name: 'Mossgate Bakeries plc', address: ['Unit 7, Orchard Park', 'Leeds LS11 5BD', 'United Kingdom'] },
  keys: [
    ['Invoice number', 'HF-2024-0117'],
    ['Invoice date', '15 March 2024'],
    ['Due date', '14 April 2024'],
    ['PO number', 'PO-88213'],
    ['Customer no.', 'C-4471'],
  ],
  currency: 'GBP',
  symbol: '£',
  totalLabel: 'Total due',
  items: [
    { code: 'OV-210', text: 'Deck oven service, annual', quantity: 2, price: 480, rate: 20 },
    { code: 'SP-044', text: 'Heat-proof door seal', quantity: 6, price: 32.5, rate: 20 },
    { code: 'SP-101', text: 'Thermostat, digital', quantity: 1, price: 118.75, rate: 20 },
    { code: 'BK-003', text: 'Maintenance handbook (printed)', quantity: 3, price: 14, rate: 0 },
  ],
  notes: [
    'Payment terms: 30 days net',
    `Please pay by bank transfer. IBAN: ${inFours(harbourIban)}   BIC: NWBKGB2L`,
    'Thank you for your business.',
  ],
  truth: {
    date_issue: '2024-03-15',
    date_due: '2024-04-14',
    order_id: 'PO-88213',
    customer_id: 'C-4471',
    iban: harbourIban,
    bic: 'NWBKGB2L',
    terms: '30 days net',
    amount_due: '1570.50',
  },
});

await makeEnglish('credit-note-en.pdf', {
  heading: 'Credit note',
  type: 'credit_note',
  number: 'CN-2024-0009',
  sender: harbour,
  recipient: { name: 'Mossgate Bakeries plc', address: ['Unit 7, Orchard Park', 'Leeds LS11 5BD', 'United Kingdom'] },
  keys: [
    ['Credit note no.', 'CN-2024-0009'],
    ['Date', '02/04/2024'],
    ['Original invoice', 'HF-2024-0117'],
    ['Customer no.', 'C-4471'],
  ],
  currency: 'GBP',
  symbol: 'GBP ',
  totalLabel: 'Total credit',
  items: [{ code: 'SP-101', text: 'Thermostat, digital (returned)', quantity: 1, price: -118.75, rate: 20 }],
  notes: ['The amount will be set off against your next invoice.'],
  truth: { date_issue: '2024-04-02', customer_id: 'C-4471' },
});

// ------------------------------------------------------------------ German: letter with window, columns in the foot

async function makeGerman(name) {
  const sums = calculate([
    { code: '1', text: 'Apfelsaft naturtrüb 1,0 l', quantity: 48, unit: 'Fl', price: 1.85, rate: 7 },
    { code: '2', text: 'Quittengelee 220 g', quantity: 30, unit: 'Gl', price: 3.2, rate: 7 },
    { code: '3', text: 'Holzkiste, gebrandet', quantity: 4, unit: 'Stk', price: 14.9, rate: 19 },
    { code: '4', text: 'Anlieferung mit Kühlwagen', quantity: 1, unit: 'psch', price: 65, rate: 19 },
  ]);
  const vat = germanVat('29146073');
  const account = iban('DE', '370400440532013000');
  const { pdf, text, lines, rule } = await paper('Rechnung 2024/0538', 'de');
  text(545, 60, 'Obsthof Wiesenbach GmbH', { size: 18, strong: true, align: 'right' });
  text(545, 74, 'Säfte · Gelees · Feinkost', { align: 'right', colour: grey });
  text(70, 128, 'Obsthof Wiesenbach GmbH · Am Hang 12 · 88212 Ravensburg', { size: 7, colour: grey });
  lines(70, 146, ['Kaufhaus Lindner & Söhne KG', 'Frau Petra Vogt', 'Marktplatz 3', '70173 Stuttgart'], { size: 10.5 });
  const facts = [
    ['Rechnungsdatum:', '08.05.2024'],
    ['Leistungsdatum:', '06.05.2024'],
    ['Kundennummer:', '10457'],
    ['Ihre Bestellung:', 'B-2024-771'],
  ];
  facts.forEach(([key, value], index) => {
    text(400, 146 + index * 14, key);
    text(490, 146 + index * 14, value);
  });
  text(70, 250, 'Rechnung Nr. 2024/0538', { size: 14, strong: true });
  text(70, 272, 'Sehr geehrte Frau Vogt, für unsere Lieferung berechnen wir Ihnen:');
  const columns = [
    [70, 'left', 'Pos.'],
    [100, 'left', 'Bezeichnung'],
    [320, 'right', 'Menge'],
    [335, 'left', 'Einheit'],
    [430, 'right', 'Einzelpreis'],
    [475, 'right', 'MwSt.'],
    [545, 'right', 'Gesamt EUR'],
  ];
  for (const [x, align, label] of columns) text(x, 300, label, { align, strong: true });
  rule(70, 545, 306, 1);
  let y = 322;
  for (const line of sums.lines) {
    const cells = [
      line.code,
      line.text,
      String(line.quantity),
      line.unit,
      german(cents(line.price)),
      `${line.rate} %`,
      german(line.total),
    ];
    columns.forEach(([x, align], index) => {
      text(x, y, cells[index], { align });
    });
    y += 17;
  }
  rule(70, 545, y - 6, 1);
  const total = (label, value, strong = false) => {
    y += 14;
    text(330, y, label, { strong });
    text(545, y, value, { align: 'right', strong });
  };
  total('Nettobetrag', german(sums.base));
  for (const { rate, base, tax } of sums.taxes) total(`zzgl. ${rate} % MwSt. auf ${german(base)}`, german(tax));
  total('Rechnungsbetrag', `${german(sums.total)} €`, true);
  lines(70, y + 40, ['Zahlbar innerhalb von 14 Tagen ohne Abzug, fällig am 22.05.2024.', 'Mit freundlichen Grüßen']);
  rule(70, 545, 765);
  const feet = [
    ['Obsthof Wiesenbach GmbH', 'Am Hang 12', '88212 Ravensburg', 'Deutschland'],
    ['Bodensee Musterbank', `IBAN ${inFours(account)}`, 'BIC COBADEFFXXX'],
    ['Amtsgericht Ulm HRB 52877', `USt-IdNr. ${vat}`, 'Steuernr. 77123/45678'],
  ];
  feet.forEach((column, index) => {
    lines(70 + index * 165, 778, column, { size: 7.5, step: 10, colour: grey });
  });
  await save(name, pdf);
  truth[name] = {
    fields: {
      document_type: 'tax_invoice',
      language: 'deu',
      document_id: '2024/0538',
      date_issue: '2024-05-08',
      date_uzp: '2024-05-06',
      date_due: '2024-05-22',
      customer_id: '10457',
      order_id: 'B-2024-771',
      sender_name: 'Obsthof Wiesenbach GmbH',
      sender_address: 'Am Hang 12, 88212 Ravensburg',
      sender_vat_id: vat,
      recipient_name: 'Kaufhaus Lindner & Söhne KG',
      recipient_address: 'Marktplatz 3, 70173 Stuttgart',
      iban: account,
      bic: 'COBADEFFXXX',
      currency: 'EUR',
      amount_total_base: fixed(sums.base),
      amount_total_tax: fixed(sums.tax),
      amount_total: fixed(sums.total),
    },
    tables: tablesOf(sums, ['description', 'quantity', 'uom', 'amount_base', 'rate', 'amount_total_base']),
  };
}
await makeGerman('invoice-de.pdf');

// ------------------------------------------------------------------ French: coloured band, table of taxes

async function makeFrench(name) {
  const sums = calculate([
    { code: 'CONF-12', text: 'Conférence « Éclairage sobre », demi-journée', quantity: 1, price: 1250, rate: 20 },
    { code: 'AUD-02', text: "Audit d'éclairage, forfait", quantity: 2, price: 640, rate: 20 },
    { code: 'GUI-07', text: 'Guide pratique broché', quantity: 25, price: 12.4, rate: 5.5 },
  ]);
  const id = siren('81204577');
  const account = iban('FR', '20041010050500013M02606');
  const blue = rgb(0.13, 0.27, 0.45);
  const { pdf, text, lines, rule, box } = await paper('Facture F24-0312', 'fr');
  box(0, 0, A4[0], 70, { color: blue });
  text(40, 45, 'LUMEVAL CONSEIL SARL', { size: 20, strong: true, colour: rgb(1, 1, 1) });
  text(555, 45, 'FACTURE', { size: 20, strong: true, align: 'right', colour: rgb(1, 1, 1) });
  lines(40, 92, ['27 rue des Tanneurs', '69005 Lyon', 'Tél. 04 00 00 00 00', 'contact@lumeval.example']);
  text(330, 92, 'Facturé à :', { strong: true, colour: blue });
  lines(330, 107, ['Mairie de Saint-Aubert', 'Service des achats', '1 place de la République', '38200 Saint-Aubert']);
  box(40, 165, 515, 34, { color: rgb(0.92, 0.94, 0.97) });
  const facts = [
    ['Facture n°', 'F24-0312'],
    ['Date de facture', '04/06/2024'],
    ["Date d'échéance", '04/07/2024'],
    ['N° de commande', 'BC-2024-195'],
    ['Code client', 'SA381'],
  ];
  facts.forEach(([key, value], index) => {
    text(48 + index * 103, 178, key, { size: 8, colour: blue });
    text(48 + index * 103, 192, value, { strong: true });
  });
  const columns = [
    [45, 'left', 'Réf.'],
    [105, 'left', 'Désignation'],
    [375, 'right', 'Qté'],
    [440, 'right', 'P.U. HT'],
    [490, 'right', 'TVA'],
    [550, 'right', 'Montant HT'],
  ];
  box(40, 225, 515, 18, { color: blue });
  for (const [x, align, label] of columns) text(x, 238, label, { strong: true, align, colour: rgb(1, 1, 1) });
  let y = 260;
  for (const line of sums.lines) {
    const rate = `${String(line.rate).replace('.', ',')} %`;
    const cells = [line.code, line.text, String(line.quantity), spaced(cents(line.price)), rate, spaced(line.total)];
    columns.forEach(([x, align], index) => {
      text(x, y, cells[index], { align });
    });
    rule(40, 555, y + 6, 0.3);
    y += 20;
  }
  y += 20;
  text(45, y, 'Taux TVA', { strong: true });
  text(170, y, 'Base HT', { strong: true, align: 'right' });
  text(250, y, 'Montant TVA', { strong: true, align: 'right' });
  sums.taxes.forEach(({ rate, base, tax }, index) => {
    const at = y + 15 + index * 14;
    text(45, at, `${String(rate).replace('.', ',')} %`);
    text(170, at, spaced(base), { align: 'right' });
    text(250, at, spaced(tax), { align: 'right' });
  });
  const totals = [
    ['Total HT', sums.base],
    ['Total TVA', sums.tax],
    ['Total TTC', sums.total],
  ];
  totals.forEach(([label, value], index) => {
    text(380, y + index * 16, label, { strong: index === 2 });
    text(550, y + index * 16, `${spaced(value)} €`, { align: 'right', strong: index === 2 });
  });
  lines(40, y + 85, [
    'Conditions de règlement : 30 jours fin de facture, par virement',
    `IBAN : ${inFours(account)}`,
    'BIC : PSSTFRPPLYO',
  ]);
  rule(40, 555, 790);
  const foot = `LUMEVAL CONSEIL SARL au capital de 8 000 € - SIREN ${id} RCS Lyon - N° TVA intracommunautaire : ${frenchVat(id)}`;
  text(A4[0] / 2, 803, foot, { size: 7.5, align: 'center', colour: grey });
  await save(name, pdf);
  truth[name] = {
    fields: {
      document_type: 'tax_invoice',
      language: 'fra',
      document_id: 'F24-0312',
      date_issue: '2024-06-04',
      date_due: '2024-07-04',
      order_id: 'BC-2024-195',
      customer_id: 'SA381',
      sender_name: 'LUMEVAL CONSEIL SARL',
      sender_address: '27 rue des Tanneurs, 69005 Lyon',
      sender_ic: id,
      sender_vat_id: frenchVat(id),
      recipient_name: 'Mairie de Saint-Aubert',
      recipient_address: '1 place de la République, 38200 Saint-Aubert',
      iban: account,
      bic: 'PSSTFRPPLYO',
      currency: 'EUR',
      amount_total_base: fixed(sums.base),
      amount_total_tax: fixed(sums.tax),
      amount_total: fixed(sums.total),
    },
    tables: tablesOf(sums, ['code', 'description', 'quantity', 'amount_base', 'rate', 'amount_total_base']),
  };
}
await makeFrench('invoice-fr.pdf');

// ------------------------------------------------------------------ Czech: two boxes, recapitulation of VAT

async function makeCzech(name) {
  const sums = calculate([
    { text: 'Pstruh duhový chlazený', quantity: 35, unit: 'kg', price: 189, rate: 12 },
    { text: 'Kapr výlovový živý', quantity: 120, unit: 'kg', price: 92.5, rate: 12 },
    { text: 'Přepravka na ryby 40 l', quantity: 10, unit: 'ks', price: 245, rate: 21 },
    { text: 'Doprava do 50 km', quantity: 1, unit: 'ks', price: 890, rate: 21 },
  ]);
  const sender = ico('2748613');
  const recipient = ico('6102394');
  const account = iban('CZ', '08000000192000145399');
  const { pdf, text, lines, rule, box } = await paper('Faktura 240100086', 'cs');
  const frame = { borderColor: black, borderWidth: 0.8 };
  text(40, 52, 'FAKTURA - DAŇOVÝ DOKLAD', { size: 15, strong: true });
  text(555, 52, 'č. 240100086', { size: 15, strong: true, align: 'right' });
  box(40, 65, 255, 125, frame);
  box(300, 65, 255, 125, frame);
  const party = (x, label, content, tax) => {
    text(x, 80, label, { strong: true, size: 8.5 });
    lines(x, 98, content, { size: 10.5 });
    lines(x, 152, tax);
  };
  party(48, 'Dodavatel:', ['Rybářství Zlatá Voda s.r.o.', 'Hrázní 218/4', '379 01 Třeboň'], [`IČO: ${sender}`, `DIČ: CZ${sender}`]);
  party(308, 'Odběratel:', ['Hotel Pod Věží a.s.', 'Náměstí Svornosti 9', '381 01 Český Krumlov'], [
    `IČO: ${recipient}`,
    `DIČ: CZ${recipient}`,
  ]);
  box(40, 195, 515, 62, frame);
  const facts = [
    ['Forma úhrady:', 'převodem'],
    ['Číslo účtu:', '19-2000145399/0800'],
    ['IBAN:', inFours(account)],
    ['Variabilní symbol:', '240100086'],
    ['Konstantní symbol:', '0308'],
    ['Datum vystavení:', '12.9.2024'],
    ['Datum zdan. plnění:', '10.9.2024'],
    ['Datum splatnosti:', '26.9.2024'],
    ['Objednávka č.:', 'OBJ-5512'],
  ];
  facts.forEach(([key, value], index) => {
    const column = index < 5 ? 0 : 1;
    const y = 207 + (column ? index - 5 : index) * 11.5;
    text(48 + column * 260, y, key, { size: 9 });
    text(140 + column * 275, y, value, { size: 9, strong: true });
  });
  const columns = [
    [45, 'left', 'Označení dodávky'],
    [265, 'right', 'Množství'],
    [275, 'left', 'MJ'],
    [345, 'right', 'Cena za MJ'],
    [385, 'right', 'DPH'],
    [465, 'right', 'Bez DPH'],
    [550, 'right', 'Celkem s DPH'],
  ];
  for (const [x, align, label] of columns) text(x, 278, label, { align, size: 8.5, strong: true });
  rule(40, 555, 283, 0.8, black);
  let y = 298;
  for (const line of sums.lines) {
    const withTax = line.total + Math.round((line.total * line.rate) / 100);
    const cells = [
      line.text,
      String(line.quantity),
      line.unit,
      spaced(cents(line.price)),
      `${line.rate}%`,
      spaced(line.total),
      spaced(withTax),
    ];
    columns.forEach(([x, align], index) => {
      text(x, y, cells[index], { align });
    });
    y += 15;
  }
  rule(40, 555, y, 0.8, black);
  y += 30;
  text(45, y, 'Rekapitulace DPH v Kč', { strong: true });
  const recap = [215, 310, 410, 510];
  ['Sazba', 'Základ', 'DPH', 'Celkem'].forEach((label, index) => {
    text(recap[index], y, label, { strong: true, align: 'right' });
  });
  for (const { rate, base, tax } of sums.taxes) {
    y += 14;
    [`${rate} %`, spaced(base), spaced(tax), spaced(base + tax)].forEach((value, index) => {
      text(recap[index], y, value, { align: 'right' });
    });
  }
  y += 16;
  ['Součet', spaced(sums.base), spaced(sums.tax), spaced(sums.total)].forEach((value, index) => {
    text(recap[index], y, value, { align: 'right', strong: true });
  });
  y += 40;
  box(300, y - 16, 255, 26, { color: rgb(0.9, 0.9, 0.9) });
  text(308, y, 'Celkem k úhradě', { size: 12, strong: true });
  text(548, y, `${spaced(sums.total)} Kč`, { size: 12, strong: true, align: 'right' });
  text(40, 800, 'Zapsáno v OR u Krajského soudu v Českých Budějovicích, oddíl C, vložka 99999. Vystavila: J. Nováková', {
    size: 7.5,
    colour: grey,
  });
  await save(name, pdf);
  const tables = tablesOf(sums, ['description', 'quantity', 'uom', 'amount_base', 'rate', 'amount_total_base']);
  tables.tax_details.forEach((row, index) => {
    row.tax_detail_total = fixed(sums.taxes[index].base + sums.taxes[index].tax);
  });
  truth[name] = {
    fields: {
      document_type: 'tax_invoice',
      language: 'ces',
      document_id: '240100086',
      var_sym: '240100086',
      const_sym: '0308',
      date_issue: '2024-09-12',
      date_uzp: '2024-09-10',
      date_due: '2024-09-26',
      order_id: 'OBJ-5512',
      sender_name: 'Rybářství Zlatá Voda s.r.o.',
      sender_address: 'Hrázní 218/4, 379 01 Třeboň',
      sender_ic: sender,
      sender_vat_id: `CZ${sender}`,
      recipient_name: 'Hotel Pod Věží a.s.',
      recipient_address: 'Náměstí Svornosti 9, 381 01 Český Krumlov',
      recipient_ic: recipient,
      recipient_vat_id: `CZ${recipient}`,
      account_num: '19-2000145399',
      bank_num: '0800',
      iban: account,
      currency: 'CZK',
      amount_total_base: fixed(sums.base),
      amount_total_tax: fixed(sums.tax),
      amount_total: fixed(sums.total),
      amount_due: fixed(sums.total),
    },
    tables,
  };
}
await makeCzech('invoice-cs.pdf');

// ------------------------------------------------------------------ a scan: turned by 0.6 degrees, speckled

async function makeScan(name) {
  const source = 'scan-source.pdf';
  await makeEnglish(source, {
    heading: 'Invoice',
    type: 'tax_invoice',
    number: '70425',
    sender: {
      name: 'Northfell Timber Co',
      address: ['Sawmill Lane 2', 'Kendal LA9 6AB', 'United Kingdom'],
      vat: britishVat('8823041'),
    },
    recipient: { name: 'Elmtree Joinery Ltd', address: ['38 Station Road', 'Preston PR1 8UQ', 'United Kingdom'] },
    toLabel: 'Invoice to',
    keys: [
      ['Invoice no', '70425'],
      ['Invoice date', '21/11/2023'],
      ['Due date', '21/12/2023'],
      ['Order no', '11836'],
    ],
    currency: 'GBP',
    symbol: '£',
    totalLabel: 'Total',
    items: [
      { code: 'OAK25', text: 'Oak board 25 mm, planed', quantity: 40, price: 18.6, rate: 20 },
      { code: 'LAR40', text: 'Larch batten 40 x 60', quantity: 120, price: 3.15, rate: 20 },
    ],
    notes: ['Terms: net 30 days'],
    truth: { date_issue: '2023-11-21', date_due: '2023-12-21', order_id: '11836', terms: 'net 30 days' },
  });
  truth[name] = truth[source];
  delete truth[source];
  const { PDFiumLibrary } = require('@hyzyla/pdfium');
  const sharp = require('sharp');
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(readFileSync(path.join(here, source)));
  const page = await document.getPage(0).render({ scale: 200 / 72, render: 'bitmap', colorSpace: 'Gray' });
  const turned = await sharp(page.data, { raw: { width: page.width, height: page.height, channels: 1 } })
    .rotate(0.6, { background: '#ffffff' })
    .blur(0.5)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { data, info } = turned;
  let seed = 20240101;
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let i = 0; i < data.length; i += info.channels) {
    if (random() < 0.0004) data.fill(random() < 0.7 ? 60 : 255, i, i + info.channels);
  }
  const image = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  await image.withMetadata({ density: 200 }).png({ palette: true, colours: 8, effort: 10 }).toFile(path.join(here, name));
  document.destroy();
  library.destroy();
  rmSync(path.join(here, source));
}
await makeScan('scan-en.png');

// ------------------------------------------------------------------ bad ones

execFileSync('qpdf', [
  ...['--static-id', '--static-aes-iv', '--encrypt', 'open sesame', 'owner', '128', '--use-aes=y', '--'],
  ...[path.join(here, 'invoice-en.pdf'), path.join(here, 'encrypted.pdf')],
]);
writeFileSync(path.join(here, 'not-a-pdf.pdf'), 'This is a plain text file that somebody named .pdf.\n');
writeFileSync(path.join(here, 'empty.pdf'), '');

writeFileSync(path.join(here, 'truth.json'), `${JSON.stringify(truth, null, 2)}\n`);
