import { analyze } from './analyze';
import { pageOf } from './page-of-text';

/** Best values of the fields of a typed page. */
function read(...texts: string[]): Record<string, string> {
  const { fields } = analyze(texts.map((text, at) => pageOf(text, { number: at + 1 })));
  return Object.fromEntries(Object.entries(fields).map(([field, [best]]) => [field, best!.value]));
}

const cells = (table: 'line_items' | 'tax_details', ...texts: string[]) =>
  (analyze(texts.map((text, at) => pageOf(text, { number: at + 1 }))).tables[table] ?? []).map((row) =>
    Object.fromEntries(
      Object.entries(row.cells).map(([column, cell]) => [column.replace('table_column_', ''), cell.value]),
    ),
  );

test('values stand behind their labels', () => {
  const fields = read(`
    Invoice number: INV-2024/17        Order no.   4711
    Invoice date    3 May 2024         Due date    2 June 2024
  `);
  expect(fields).toMatchObject({
    document_id: 'INV-2024/17',
    order_id: '4711',
    date_issue: '2024-05-03',
    date_due: '2024-06-02',
  });
});

test('values stand under their labels', () => {
  const fields = read(`
    Facture n°      Date de facture    Date d'échéance    Code client
    F24-0312        04/06/2024         04/07/2024         SA381
  `);
  expect(fields).toMatchObject({
    document_id: 'F24-0312',
    date_issue: '2024-06-04',
    date_due: '2024-07-04',
    customer_id: 'SA381',
  });
});

test('in the cell of a form the value stands at the right', () => {
  const fields = read(`
    Imponibile           Imposta             Totale documento
               100,00             22,00                    122,00
  `);
  expect(fields).toMatchObject({ amount_total_base: '100.00', amount_total_tax: '22.00', amount_total: '122.00' });
});

test('a label and an IBAN that go on in the next line', () => {
  const { fields } = analyze([
    pageOf(`
      Payment          7940595748
      reference:
      IBAN:            GB29 NWBK 6016 1331
                       9268 19
    `),
  ]);
  expect(fields.var_sym![0]!.value).toBe('7940595748');
  expect(fields.iban![0]).toMatchObject({ value: 'GB29NWBK60161331926819', rawText: 'GB29 NWBK 6016 1331 9268 19' });
});

test('what begins like a currency is still a number of something', () => {
  expect(read('Beleg-Nr : KR87654321012').document_id).toBe('KR87654321012');
});

test('a code in brackets behind the kind of document is not its number', () => {
  expect(read('Gutschrift (Selbst ausgestellt) (389)  Nr. 47110818').document_id).toBe('47110818');
});

test('an IBAN whose check digits are wrong is shown, but not believed', () => {
  const confidence = (iban: string) => analyze([pageOf(`IBAN ${iban}`)]).fields.iban![0]!.confidence;
  expect(confidence('DE89 3704 0044 0532 0130 00')).toBeGreaterThan(0.9);
  expect(confidence('DE88 3704 0044 0532 0130 00')).toBeLessThan(0.85);
});

test('a label between label and value breaks the connection', () => {
  expect(read('Order no.   Customer no.  C-17')).not.toHaveProperty('order_id');
  expect(read('Order no.   Customer no.  C-17').customer_id).toBe('C-17');
});

test('the locale of the queue decides what the document leaves open', () => {
  const date = (text: string, locale?: string) => analyze([pageOf(text)], locale).fields.date_issue![0]!.value;
  expect(date('Invoice date 03/04/2024', 'en_US')).toBe('2024-03-04');
  expect(date('Invoice date 03/04/2024', 'en_GB')).toBe('2024-04-03');
  expect(date('Invoice date 03/04/2024  Total $5.00')).toBe('2024-03-04');
  expect(date('Invoice date 03/04/2024  Due date 16/04/2024', 'en_US')).toBe('2024-04-03');
  expect(date('Invoice date 03/04/2024  Total £5.00', 'en_US')).toBe('2024-04-03');
});

test('a document that is plainly American goes before a locale that is not', () => {
  const date = (text: string, locale: string) => analyze([pageOf(text)], locale).fields.date_issue![0]!.value;
  const american = `
    East Repair Inc.      Invoice date 03/04/2024
    1912 Harvest Lane     Total $154.06
    New York, NY 12210`;
  expect(date(american, 'en_GB')).toBe('2024-03-04');
  expect(date(american.replace('NY 12210', 'NY'), 'en_GB')).toBe('2024-03-04');
  expect(date(american.replace('New York, NY 12210', 'Call (212) 555-0143'), 'en_GB')).toBe('2024-03-04');
  expect(date(american.replace('$', ''), 'en_GB')).toBe('2024-03-04');
  expect(date(american.replace(/\$|NY 12210/g, ''), 'en_GB')).toBe('2024-04-03');
  expect(date(american.replace('New York, NY 12210', 'VAT GB123456789'), 'en_GB')).toBe('2024-04-03');
  expect(date('Invoice date 03/04/2024  Total $5.00', 'en_GB')).toBe('2024-04-03');
  expect(date('Invoice date 03/04/2024  Total $5.00', 'auto')).toBe('2024-03-04');
});

test('the date of the order is not the date of the invoice', () => {
  const fields = read(`
    Order date    1 May 2024
    Date          3 May 2024
  `);
  expect(fields.date_issue).toBe('2024-05-03');
});

describe('totals', () => {
  test('base, tax and total are those that add up', () => {
    const fields = read(`
      Total hours                 12.00
      Subtotal                   100.00
      VAT 20%                     20.00
      Total                      120.00
      Total incl. deposit        999.00
    `);
    expect(fields).toMatchObject({ amount_total_base: '100.00', amount_total_tax: '20.00', amount_total: '120.00' });
  });

  test('what adds up is surer than what does not', () => {
    const sure = (total: string) =>
      analyze([pageOf(`Subtotal  100.00\nVAT 20%  20.00\nTotal  ${total}`)]).fields.amount_total![0]!.confidence;
    expect(sure('120.00')).toBeGreaterThan(0.975);
    expect(sure('130.00')).toBeLessThan(0.95);
  });

  test('in a table of sums the last row counts', () => {
    const fields = read(`
      Nettobetrag    MwSt-Betrag    MwSt-%      Endbetrag
           321,40          61,07      19,0         382,47
           127,59           8,93       7,0         136,52
           448,99          70,00       EUR         518,99
    `);
    expect(fields).toMatchObject({ amount_total_base: '448.99', amount_total_tax: '70.00', amount_total: '518.99' });
  });

  test('the sum of several rates is concluded when it is not printed', () => {
    const { fields } = analyze([
      pageOf(`
        Nettobetrag                        309,40
        zzgl. 19 % MwSt. auf 124,60         23,67
        zzgl. 7 % MwSt. auf 184,80          12,94
        Rechnungsbetrag                    346,01 €
      `),
    ]);
    expect(fields.amount_total_tax![0]).toMatchObject({ value: '36.61', position: null });
  });

  test('net and gross decide what a total is, and the tax they name is none', () => {
    const fields = read(`
      Rechnungssumme Netto (excl. USt.)              473,00
      Steuerbasisbetrag USt. 7%          275,00       19,25
      Steuerbasisbetrag USt. 19%         198,00       37,62
      Rechnungssumme Brutto (inkl. USt.)             529,87
    `);
    expect(fields).toMatchObject({ amount_total_base: '473.00', amount_total_tax: '56.87', amount_total: '529.87' });
  });

  test.each([
    ['TOTAL', 'BALANCE'],
    ['TTL', 'CG'],
    ['JUMLAH', 'BAKI'],
    ['Summe EUR', 'Zurück'],
  ])('what a receipt calls %s is the total, and %s the change', (total, change) => {
    const fields = read(`
      ${total.padEnd(18)}17.65
      CASH              20.00
      ${change.padEnd(18)} 2.35
    `);
    expect(fields).toMatchObject({ amount_total: '17.65' });
    expect(fields).not.toMatchObject({ amount_due: '2.35' });
  });

  test('an amount without a label counts when it completes the sum', () => {
    const fields = read(`
      Subtotal                 759.00
      Discount                  20.00
      After that               739.00
      Total tax                 22.17
      Balance due              761.17
    `);
    expect(fields).toMatchObject({ amount_total_base: '739.00', amount_total_tax: '22.17', amount_total: '761.17' });
  });

  test('cash given is not the total of a receipt', () => {
    const fields = read(`
      TOTAL            11.60
      CASH             12.00
      CHANGE            0.40
    `);
    expect(fields.amount_total).toBe('11.60');
  });

  test('without a word about payments everything is due', () => {
    expect(read('Total  120.00 EUR').amount_due).toBe('120.00');
  });

  test('due is what is left to pay', () => {
    const fields = read(`
      Total          100.00
      Amount paid     40.00
      Balance due     60.00
    `);
    expect(fields).toMatchObject({ amount_total: '100.00', amount_paid: '40.00', amount_due: '60.00' });
  });
});

describe('currency', () => {
  test.each([
    ['Total £120.00', 'GBP'],
    ['Total 120,00 €', 'EUR'],
    ['Celkem 120,00 Kč', 'CZK'],
    ['Razem 120,00 zł', 'PLN'],
    ['Total CHF 120.00', 'CHF'],
    ['Total R$ 120,00', 'BRL'],
    ['Toplam ₺120,00', 'TRY'],
    ['Total AED 120.00', 'AED'],
    ['Summa att betala 120,00 kr förfallodatum moms', 'SEK'],
    ['I alt at betale 120,00 kr forfaldsdato beløb', 'DKK'],
  ])('%s', (text, currency) => {
    expect(read(text).currency).toBe(currency);
  });

  test('an Australian business does not bill in US dollars', () => {
    expect(read('ABN 51 824 753 556\nTotal $120.00').currency).toBe('AUD');
  });
});

describe('line items', () => {
  const table = `
    Pos.  Bezeichnung               Menge  Einheit  Einzelpreis   MwSt.   Gesamt EUR
    1     Apfelsaft naturtrüb          48  Fl              1,85     7 %        88,80
          0,75 l
    2     Holzkiste                     4  Stk            14,90    19 %        59,60
                                                   Zwischensumme              148,40
          Nicht mehr                                              19 %         1,00
  `;

  test('columns by their headings, rows up to the first total, text of several lines', () => {
    expect(cells('line_items', table)).toEqual([
      {
        description: 'Apfelsaft naturtrüb 0,75 l',
        quantity: '48',
        uom: 'Fl',
        amount_base: '1.85',
        rate: '7',
        amount_total_base: '88.80',
      },
      {
        description: 'Holzkiste',
        quantity: '4',
        uom: 'Stk',
        amount_base: '14.90',
        rate: '19',
        amount_total_base: '59.60',
      },
    ]);
  });

  test('a row whose product holds is surer', () => {
    const confidence = (total: string) =>
      analyze([
        pageOf(`Description       Qty    Unit price    Amount\nBrake cable         2         50.00    ${total}`),
      ]).tables.line_items![0]!.cells.table_column_amount_total_base!.confidence;
    expect(confidence('100.00')).toBeGreaterThan(confidence('101.00'));
  });

  test('headings of two lines, and a unit beside the quantity', () => {
    const found = cells(
      'line_items',
      `
      Cod.       Descrizione        Quantità     Prezzo        Prezzo
      articolo                                   unitario      totale
      A1         Carta              10 kg          2,00         20,00
      `,
    );
    expect(found).toEqual([
      { code: 'A1', description: 'Carta', quantity: '10', uom: 'kg', amount_base: '2.00', amount_total_base: '20.00' },
    ]);
  });

  test('words stay with their heading even when numbers reach into the neighbour column', () => {
    const found = cells(
      'line_items',
      `
      Descrizione        Quantità              UM       %IVA  Prezzo totale
      Cabinet               1,00       14,00 Unit(s)   22,00          14,00
      `,
    );
    expect(found[0]).toMatchObject({
      description: 'Cabinet',
      quantity: '1.00',
      rate: '22.00',
      amount_total_base: '14.00',
    });
  });

  test('a remark across the columns is not part of a description', () => {
    const found = cells(
      'line_items',
      `
      Description       Qty    Unit price    Amount
      Brake cable         2         50.00    100.00
      All goods remain our property until they have been paid for in full by the buyer
      `,
    );
    expect(found.map((row) => row.description)).toEqual(['Brake cable']);
  });

  test('the table goes on on the next page', () => {
    const head = 'Description       Qty    Unit price    Amount';
    const row = (name: string) => `${name}              2         50.00    100.00`;
    expect(
      cells('line_items', `${head}\n${row('One')}`, `${head}\n${row('Two')}\nTotal                            200.00`),
    ).toHaveLength(2);
    expect(
      cells('line_items', `${head}\n${row('One')}`, `${row('Two')}\nTotal                            200.00`),
    ).toHaveLength(2);
  });
});

describe('tax details', () => {
  test('rows are found by their arithmetic, in any language', () => {
    const found = cells(
      'tax_details',
      `
      Sadzba       Základ       Daň       Spolu
      20 %         100,00     20,00      120,00
      10 %          50,00      5,00       55,00
      Súčet        150,00     25,00      175,00
      `,
    );
    expect(found).toEqual([
      { tax_detail_rate: '20', tax_detail_base: '100.00', tax_detail_tax: '20.00', tax_detail_total: '120.00' },
      { tax_detail_rate: '10', tax_detail_base: '50.00', tax_detail_tax: '5.00', tax_detail_total: '55.00' },
    ]);
  });

  test('a single rate takes the totals', () => {
    expect(cells('tax_details', 'Subtotal   200.00\nVAT 20%   40.00\nTotal   240.00')).toEqual([
      { tax_detail_rate: '20', tax_detail_base: '200.00', tax_detail_tax: '40.00' },
    ]);
  });
});

test('nothing on the page, nothing found', () => {
  const { fields, tables } = analyze([pageOf('')]);
  expect(Object.keys(fields)).toEqual(['document_type']);
  expect(tables).toEqual({});
});

test.each([
  ['numbers', (at: number) => `${at}.50`],
  ['labels', (at: number) => ['Total', 'VAT', 'Invoice', '12.50', 'Name', '5%'][at % 6]!],
])(
  'a page crammed with %s is read in bounded time',
  (_what, word) => {
    const row = Array.from({ length: 60 }, (_, at) => word(at)).join(' ');
    const started = performance.now();
    analyze([pageOf(Array(100).fill(row).join('\n'))]);
    expect(performance.now() - started).toBeLessThan(20_000);
  },
  40_000,
);

test('line items are found without a head, where quantity times price is the amount', () => {
  const { tables, fields } = analyze([
    pageOf(`
      12 ft HDMI cable        12      9.99     119.88
      Ergonomic keyboard       2     59.99     119.98

      Total                                    239.86
    `),
  ]);
  expect(
    tables.line_items?.map(({ cells }) => [cells.table_column_description!.value, cells.table_column_quantity!.value]),
  ).toEqual([
    ['12 ft HDMI cable', '12'],
    ['Ergonomic keyboard', '2'],
  ]);
  expect(fields.amount_total?.[0]?.value).toBe('239.86');
});

test('two labels with a slash between them announce one value', () => {
  expect(
    read(`
      Invoice Date / Tax Point   17 Nov 2023
      Due / Échéance:            17 Dec 2023
    `),
  ).toMatchObject({ date_issue: '2023-11-17', date_due: '2023-12-17' });
});

test('of two addresses beside each other the left one is the recipient', () => {
  expect(
    read(`
      TAX INVOICE

      Wattle Grove Dental Pty Ltd                                             Coolabah Air Services Pty Ltd
      88 Hay Street                                                           14 Foundry Road
      SUBIACO WA 6008                                                         BAYSWATER WA 6053
    `),
  ).toMatchObject({
    recipient_name: 'Wattle Grove Dental Pty Ltd',
    recipient_address: '88 Hay Street, SUBIACO WA 6008',
    sender_name: 'Coolabah Air Services Pty Ltd',
  });
});

test('whose dollars', () => {
  expect(read('Total CAD    $1,531.47').currency).toBe('CAD');
  expect(read('ABN 51 824 753 556   Total    $1,531.47').currency).toBe('AUD');
  expect(read('Total    $1,531.47').currency).toBe('USD');
});

test('payment references in groups', () => {
  expect(read('Viitenumero   4011 20012').var_sym).toBe('401120012');
});

test('tax numbers that need no label', () => {
  expect(
    read(`
      Alpenblick Schreinerei AG
      CHE-114.772.903 MWST
    `).sender_vat_id,
  ).toBe('CHE114772903MWST');
  expect(
    read(`
      Talleres Montseny, S.L.
      B58818501
    `).sender_vat_id,
  ).toBe('B58818501');
});

test('totals that are rounded to whole crowns; one rate of several is not their sum', () => {
  expect(
    read(`
      Sazba      Základ       DPH        Celkem
      12 %       4 800,00     576,00     5 376,00
      21 %      26 875,00   5 643,75    32 518,75
      Součet    31 675,00   6 219,75    37 894,75

      Zaokrouhlení: 0,25      Celkem k úhradě: 37 895,00 Kč
    `),
  ).toMatchObject({ amount_total_base: '31675.00', amount_total_tax: '6219.75', amount_due: '37895.00' });
});

test('the day of a debit, in a sentence', () => {
  expect(
    read(`
      Rechnungsdatum   15.02.2024     Kundennummer   300 417 88
      Den Betrag von 116,89 € buchen wir am 04.03.2024 von Ihrem Konto ab.
    `),
  ).toMatchObject({ date_issue: '2024-02-15', date_due: '2024-03-04', customer_id: '30041788' });
});

test.each([
  ['Date 12/02/2025', 'Merci de régler cette facture avant le 14 mars 2025.'],
  ['Fecha 12/02/2025', 'Rogamos abonen el importe antes del 14 de marzo de 2025.'],
  ['Data 12/02/2025', 'Il pagamento dovrà avvenire entro e non oltre il 14/03/2025.'],
  ['Date 12/02/2025', 'Payment of the whole amount should reach us no later than 14 March 2025.'],
  ['Date 12/02/2025', 'We kindly ask you to settle this account by 14 March 2025'],
  ['Datum 12.02.2025', 'Betala beloppet senast den 14 mars 2025.'],
  ['Datum 12.02.2025', 'Wir bitten Sie, den Betrag auf unser Konto zu zahlen, und zwar bis spätestens 14.03.2025.'],
  ['Data 12.02.2025', 'Prosimy o zapłatę całej kwoty do dnia 14.03.2025.'],
  ['Datum 12.02.2025', 'Wij verzoeken u het bedrag over te maken vóór 14-03-2025.'],
])('the last day of a payment, in a sentence: %s, %s', (date, sentence) => {
  expect(read(`\n${date}\n\n\n${sentence}`)).toMatchObject({ date_issue: '2025-02-12', date_due: '2025-03-14' });
});

test('labels in head cells go on before their values in the next line', () => {
  const fields = read(`
    Facture      Date          Client       Échéance
    n° F24-118   12/02/2025    n° 008812    14/03/2025
  `);
  expect(fields).toMatchObject({ document_id: 'F24-118', customer_id: '008812', date_issue: '2025-02-12' });
});

test('the last day of a payment is no date of issue, and other days are no last ones', () => {
  const only = read('Merci de régler cette facture avant le 14 mars 2025.');
  expect(only).toMatchObject({ date_due: '2025-03-14' });
  expect(only.date_issue).toBeUndefined();
  const paid = read('Date 12/02/2025\n\n\nWe thank you for your payment of 3 February 2025.');
  expect(paid).toMatchObject({ date_issue: '2025-02-12' });
  expect(paid.date_due).toBeUndefined();
});

test('units are no legal forms, numbers of registers no invoice numbers, labels no terms', () => {
  const fields = read(`
    Brightwell Ltd             Faktúra 2024125
    vl. č. 1120/P
    Quantity
    1,500 kg                   Zahlbar bis    12.07.2024
  `);
  expect(fields).toMatchObject({ sender_name: 'Brightwell Ltd', document_id: '2024125' });
  expect(fields.terms).toBeUndefined();
});

test('the account behind a sort code is that of the bank', () => {
  const fields = read('Sort code 40-52-11 Account 71620033');
  expect(fields.account_num).toBe('71620033');
  expect(fields.customer_id).toBeUndefined();
});

test('the row of sums under a table without decimals tells base, tax and total', () => {
  const fields = read(`
    Megnevezés          Mennyiség     Egységár     Nettó ár     ÁFA     ÁFA érték     Bruttó ár
    Szórólap            5000          14,20        71 000       27%     19 170        90 170
    Tördelés            6             8 500        51 000       27%     13 770        64 770
    Összesen:                                      122 000              32 940        154 940
  `);
  expect(fields).toMatchObject({ amount_total_base: '122000', amount_total_tax: '32940', amount_total: '154940' });
});

test('a ruled line over the total of a receipt is no part of its label', () => {
  const fields = read(`
    2 x Brezel                1,70 B
    1 x Kaffee                3,20 A
    --------------------------------
    SUMME EUR                   4,90
    Bar                        10,00
    Rückgeld                   -5,10
  `);
  expect(fields.amount_total).toBe('4.90');
});

test('the day of payment may stand in a sentence; the end of a period is none', () => {
  expect(
    read(`
      Rechnungsdatum: 12.01.2024
      Ihre Stromrechnung vom 01.01.2024 bis 31.03.2024
      Den Betrag buchen wir am 26.01.2024 von Ihrem Konto ab.
    `).date_due,
  ).toBe('2024-01-26');
  expect(
    read(`
      Data: 18/09/2024
      Pagamento: bonifico bancario entro il 18/10/2024
    `).date_due,
  ).toBe('2024-10-18');
});

test('an address that is set to the right edge', () => {
  const fields = read(
    `
                                                                Spett.le
                                              Edilizia Moderna S.r.l.
                                                    Corso Francia 200
                                                  10093 Collegno (TO)
  `
      .replaceAll('Spett.le', '              Spett.le')
      .replace(/ {14}(?= +Spett)/, ''),
  );
  expect(fields.recipient_address).toBe('Corso Francia 200, 10093 Collegno (TO)');
});

test('the addresses of two parties without labels: the sender tells how to reach him', () => {
  const right = read(`
    Lysthuset Drift ApS                                             Bagergaarden A/S
    Att. Mette Krogh                                                      Møllevej 3
    Algade 44                                                          4100 Ringsted
    4000 Roskilde                                                   CVR-nr. 29876543
                                                                    Tlf. 57 61 22 33

    Faktura nr. 88231
  `);
  expect(right).toMatchObject({
    sender_name: 'Bagergaarden A/S',
    sender_address: 'Møllevej 3, 4100 Ringsted',
    recipient_name: 'Lysthuset Drift ApS',
    recipient_address: 'Algade 44, 4000 Roskilde',
  });
  const left = read(`
    ATELIER BRETON
    12 rue des Artisans
    35000 RENNES
    Tél : 02 99 12 34 56
    contact@atelier-breton.example
                                                                     SCI LES TILLEULS
    FACTURE N° F2024-031                                             48 boulevard de la Liberté
                                                                     35000 RENNES
  `);
  expect(left).toMatchObject({ sender_name: 'ATELIER BRETON', recipient_name: 'SCI LES TILLEULS' });
});

test('words with accents are no words for how to reach somebody', () => {
  const fields = read(`
    Client :
    Hôtel Saint Denis
    42 rue du stade
    97400 Saint Denis
  `);
  expect(fields).toMatchObject({
    recipient_name: 'Hôtel Saint Denis',
    recipient_address: '42 rue du stade, 97400 Saint Denis',
  });
});

test('a word for an amount may be part of a name in another language', () => {
  const fields = read(`
    Sprzedawca
    Zakład Stolarski Wilk
    ul. Tartaczna 9
    30-721 Kraków
    Bank: Bank Polski S.A.
  `);
  expect(fields).toMatchObject({
    sender_name: 'Zakład Stolarski Wilk',
    sender_address: 'ul. Tartaczna 9, 30-721 Kraków',
  });
});

test('the recipient stands in the window, some lines under the line of the sender', () => {
  const fields = read(`
    Hostwerk AG - Uferweg 40 - 63571 Gelnhausen




    Vivelab Ltd.
    93B Sai Yu Chung
    Yuen Long
    Hong Kong

    Rechnung
  `);
  expect(fields).toMatchObject({ sender_name: 'Hostwerk AG', recipient_name: 'Vivelab Ltd.' });
});

test('the currency may belong to the label and to its amount', () => {
  const fields = read(`
    TOTAL GBP                   903.60
    Less Amount Paid            300.00
    AMOUNT DUE GBP 603.60
  `);
  expect(fields).toMatchObject({ amount_total: '903.60', amount_due: '603.60', amount_paid: '300.00' });
});

test('what was paid in several parts, and what the rest leaves without a label', () => {
  const parts = read(`
    Datum: 12.03.2024
    Gesamtsumme                                  6.312,00 EUR
    abzgl. 1. Abschlagszahlung vom 15.01.2024    2.500,00 EUR
    abzgl. 2. Abschlagszahlung vom 09.02.2024    1.500,00 EUR
    Restbetrag                                   2.312,00 EUR
  `);
  expect(parts).toMatchObject({ amount_total: '6312.00', amount_due: '2312.00', amount_paid: '4000.00' });
  expect(parts.date_issue).toBe('2024-03-12');
  const table = read(`
    Règlement     Date           Montant         Total TTC          530,75 €
    Vir SEPA      31/10/2017     147,00 €        Solde à payer      383,75 €
  `);
  expect(table).toMatchObject({ amount_total: '530.75', amount_paid: '147.00', amount_due: '383.75' });
});

test('"total" behind the name of a tax or base says what it is the total of', () => {
  const fields = read(`
    Veroton hinta yhteensä      428,60
    Arvonlisävero yhteensä      102,86
    Maksettava yhteensä         531,46 EUR
  `);
  expect(fields).toMatchObject({ amount_total_base: '428.60', amount_total_tax: '102.86', amount_total: '531.46' });
});

test('numbers of two columns are not joined, although both have groups', () => {
  const fields = read(`
    Nettó összesen:  260 000   Ft
    ÁFA összesen:     70 200   Ft
    Bruttó összesen: 330 200   Ft
  `);
  expect(fields).toMatchObject({ amount_total_base: '260000', amount_total_tax: '70200', amount_total: '330200' });
});

test('numbers of documents that could be dates, and Norwegian tax numbers', () => {
  expect(read('Faktura VAT nr 17/03/2024\n\nData wystawienia: 12.03.2024')).toMatchObject({
    document_id: '17/03/2024',
    date_issue: '2024-03-12',
  });
  expect(read('Nordvest AS\nOrg.nr: 987 654 325 MVA')).toMatchObject({ sender_vat_id: 'NO987654325MVA' });
});

test('without a sign the currency is that of the country of the account', () => {
  expect(read('Celkom na úhradu     7,909.30\nIBAN   SK31 1200 0000 1987 4263 7541')).toMatchObject({
    currency: 'EUR',
  });
  expect(read('Toplam   7,909.30\nIBAN   TR33 0006 1005 1978 6457 8413 26')).toMatchObject({ currency: 'TRY' });
  expect(read('Total    7,909.30\nIBAN   AE07 0331 2345 6789 0123 456')).toMatchObject({ currency: 'AED' });
});

test('the country of the account is no sign of the currency where that changed, nor are two countries', () => {
  const total = 'Total    7,909.30\n';
  expect(read(`${total}IBAN   BG80 BNBG 9661 1020 3456 78`)).not.toHaveProperty('currency');
  expect(read(`${total}IBAN   DE89 3704 0044 0532 0130 00   IBAN   LI21 0881 0000 2324 013A A`)).not.toHaveProperty(
    'currency',
  );
});

test('terms behind their label, in one text with it', () => {
  expect(read('Betalingsbetingelser: Netto 8 dage')).toMatchObject({ terms: 'Netto 8 dage' });
});

test('an IBAN goes on in its own column of the next line', () => {
  const fields = read(`
    Media ApS, tlf. 75 Bank IBAN DK50 0040 0440
    80 90 10           1162 43
  `);
  expect(fields.iban).toBe('DK5000400440116243');
});

test('a VAT number goes on in the next line', () => {
  const fields = read(`
    Muster Technik GmbH
    Hauptstraße 5
    10115 Berlin
    USt-IdNr.: DE 136
    695 976
  `);
  expect(fields.sender_vat_id).toBe('DE136695976');
  // Its check digits do not hold.
  expect(read('Muster GmbH\nUSt-IdNr.: DE 136\n695 977')).not.toHaveProperty('sender_vat_id');
});

test('the series of a Romanian invoice belongs to its number', () => {
  expect(read('FACTURĂ\nSeria ATC Nr. 00871').document_id).toBe('ATC00871');
  expect(read('Factura seria CJ numarul 1045/12.03.2024').document_id).toBe('CJ1045');
});

describe('one VAT number for both parties', () => {
  const blocks = (sender: string, recipient: string) => `
    Seller                        Bill to
    Muster GmbH                   Kunde AG
    Straße 2                      Weg 1
    20095 Hamburg                 10115 Berlin
    ${sender.padEnd(30)}${recipient}
  `;

  test('printed in both blocks', () => {
    expect(read(blocks('USt-IdNr. DE136695976', 'USt-IdNr. DE136695976'))).toMatchObject({
      sender_vat_id: 'DE136695976',
      recipient_vat_id: 'DE136695976',
    });
  });

  test('printed near the recipient, out of his block', () => {
    const text = `${blocks('USt-IdNr. DE136695976', '')}\n\n                                  USt-IdNr. DE136695976`;
    const fields = read(text);
    expect(fields.sender_vat_id).toBe('DE136695976');
    expect(fields).not.toHaveProperty('recipient_vat_id');
  });
});

test('a P.O. box is no purchase order, and part of the address', () => {
  const fields = read(`
    BILL TO
    Irrigation District
    PO Box 770
    Yakima, WA 98907
  `);
  expect(fields).toMatchObject({
    recipient_name: 'Irrigation District',
    recipient_address: 'PO Box 770, Yakima, WA 98907',
  });
  expect(fields).not.toHaveProperty('order_id');
});

test('a word of labels in the name of the recipient', () => {
  const fields = read(`
    Bill to
    Customer Services Ltd
    2 Low Road
    Leeds LS1 1AA
  `);
  expect(fields.recipient_name).toBe('Customer Services Ltd');
});

test('values at the left of cells, whose headings stand in their middle', () => {
  const fields = read(`
           P.O. NUMBER                 SALES REP               TERMS
    TC-88213                   M. Okafor               Net 30
  `);
  expect(fields).toMatchObject({ order_id: 'TC-88213', terms: 'Net 30' });
});

test('in Hungary the place comes before the street', () => {
  const fields = read(`
    Vevő:
    Hegyalja Panzió Bt.
    3910 Tokaj
    Bethlen Gábor út 5.
    Adószám: 20384712-2-05
  `);
  expect(fields.recipient_address).toBe('3910 Tokaj, Bethlen Gábor út 5.');
});

test('how to reach the sender is no part of his address, although it stands in the same line', () => {
  const fields = read(`
    Pennine Joinery
    Unit 6 Calder Mills, Halifax HX3 8DF | 01422 555 019 | VAT Reg. 283 9174 52
  `);
  expect(fields.sender_address).toBe('Unit 6 Calder Mills, Halifax HX3 8DF');
});

test('the total of which an advance is deducted need not be printed', () => {
  const fields = read(`
    Základ DPH 20 %        2 834,00 EUR
    DPH 20 %                 566,80 EUR
    Uhradené zálohou      -1 000,00 EUR
    Na úhradu              2 400,80 EUR
  `);
  expect(fields).toMatchObject({ amount_total: '3400.80', amount_paid: '1000.00', amount_due: '2400.80' });
});

test('the label of a BIC is no part of it, and numbers of German registers are short', () => {
  expect(read('IBAN FI21 1234 5600 0007 85   BIC NDEAFIHH').bic).toBe('NDEAFIHH');
  expect(read('Brandt KG\nAmtsgericht Lübeck HRA 567').sender_ic).toBe('567');
});

describe('what OCR confuses', () => {
  const readScan = (text: string) => {
    const { fields } = analyze([pageOf(text, { source: 'ocr' })]);
    return Object.fromEntries(Object.entries(fields).map(([field, [best]]) => [field, best!.value]));
  };

  test('rules at both sides of a cell are no text', () => {
    const fields = readScan(`
      PO NUMBER         TERMS
      | TC-88213 |      | Net 30 |
    `);
    expect(fields).toMatchObject({ order_id: 'TC-88213', terms: 'Net 30' });
  });

  test('letters and digits in short labels, and at the beginning of an IBAN', () => {
    expect(readScan('Dodávateľ\nObec Zuberec\nHlavná 289\n027 32 Zuberec\n1ČO: 00315036').sender_ic).toBe('00315036');
    expect(readScan('lBAN PT5O 0002 0123 1234 5678 9015 4').iban).toBe('PT50000201231234567890154');
  });

  test('the country of a VAT number', () => {
    expect(readScan('ATELIER SRL\nCIF: R034512390').sender_vat_id).toBe('RO34512390');
  });
});

test('the year of a copyright is no number of an invoice', () => {
  expect(read('Beispiel GmbH, (c) Muster 2022\nKorrektur (384) Nr. RK21012345 vom 16.09.2018').document_id).toBe(
    'RK21012345',
  );
});

test('a label of which a cell shows only the beginning, and one that its number follows right on', () => {
  expect(read('Fecha de vencimie    2025-03-08').date_due).toBe('2025-03-08');
  expect(read('Payment reference8454365179').var_sym).toBe('8454365179');
});

test('a date under the label of a VAT number is none', () => {
  expect(read('Muster GmbH\nN° TVA   11/12/2022')).not.toHaveProperty('sender_vat_id');
});

test('a sign of percent that OCR took for digits, where the tax agrees', () => {
  const text = `
    ÁFA        Nettó alap      ÁFA összege
    279        2 342,00        632,34
  `;
  expect(cells('tax_details', text)).toEqual([
    { tax_detail_rate: '27', tax_detail_base: '2342.00', tax_detail_tax: '632.34' },
  ]);
});

test('tax numbers that are letters as much as digits', () => {
  const fields = read(`
    Sarovar Textiles Pvt Ltd
    GSTIN: 24AABCS1429B1Z5

    Bill to
    Lotus Garments
    GSTIN: 29AAACL4159L1ZV
  `);
  expect(fields).toMatchObject({ sender_vat_id: '24AABCS1429B1Z5', recipient_vat_id: '29AAACL4159L1ZV' });
});

test('an address with a VAT number is the recipient where the sender has another one', () => {
  const fields = read(`
    De Gouden Korst BV
    Stationsstraat 88, 9000 Gent
    BTW BE 0403.170.701                     FACTUUR VF24/00312



                                            Traiteur Lambert SRL
                                            Rue du Bailli 20
                                            1000 Bruxelles
                                            BTW: BE0417497106
  `);
  expect(fields).toMatchObject({
    sender_vat_id: 'BE0403170701',
    recipient_name: 'Traiteur Lambert SRL',
    recipient_vat_id: 'BE0417497106',
  });
});

test('labels under each other with values of their own are two labels', () => {
  const fields = read(`
    Invoice     118820
    Date        02/26/2024

    Subtotal    156.50
    Tax           3.14
    Total       159.64
  `);
  expect(fields).toMatchObject({
    document_id: '118820',
    date_issue: '2024-02-26',
    amount_total_tax: '3.14',
    amount_total: '159.64',
  });
});

test('the sign of a number may stand right before it', () => {
  expect(read('Tax Invoice     #1882').document_id).toBe('1882');
});

test('a block whose numbers stand under an empty line is the sender, although it stands at the right', () => {
  expect(
    read(`
                                                                    Fietsen De Ketting
                                                                    Oude Haven 11
                                                                    8911 BW Leeuwarden
                                                                    058 - 212 00 00

                                                                    KvK 01234567
    De heer J. van der Wal                                          BTW NL001234567B89
    Markt 50
    8911 KX Leeuwarden

    Factuur
    Factuurnummer : 24.0381
    `),
  ).toMatchObject({
    sender_name: 'Fietsen De Ketting',
    recipient_name: 'De heer J. van der Wal',
    recipient_address: 'Markt 50, 8911 KX Leeuwarden',
    sender_ic: '01234567',
    document_id: '24.0381',
  });
});

test('the topmost address is the recipient where that of the sender is in the foot', () => {
  const foot = 'Nordtools AB, Vasagatan 9, 411 24 Göteborg';
  const letter = `





    Hallbergs Byrå KB
    Sveavägen 44
    111 34 Stockholm

    Faktura 900221`;
  const gap = '\n'.repeat(45);
  expect(read(`${letter}${gap}    ${foot}`)).toMatchObject({
    recipient_name: 'Hallbergs Byrå KB',
    sender_name: 'Nordtools AB',
  });
  expect(read(letter)).not.toHaveProperty('recipient_name');
});

test('the address stands before the telephone number in one line under the name', () => {
  expect(
    read(`
    Rørland Grossist A/S
    Industrivænget 30 · 3400 Hillerød · Tlf. 48 00 11 22

    Ordrenr.  S-661203
    `),
  ).toMatchObject({ sender_name: 'Rørland Grossist A/S', sender_address: 'Industrivænget 30, 3400 Hillerød' });
});

test('a street before the place is no name', () => {
  expect(
    read(`
    AUTO TRÊS MARIAS, LDA.
    Estrada Nacional 10, Km 127 - 2615-042 Alverca

    Cliente:
    Maria Boavida
    Praceta Gil Vicente 5
    2600-411 Vila Franca
    `),
  ).toMatchObject({
    sender_name: 'AUTO TRÊS MARIAS, LDA.',
    sender_address: expect.stringContaining('Estrada Nacional 10'),
  });
});

test('the address of the sender is the line that begins with his name', () => {
  const middle = '\n'.repeat(25);
  expect(
    read(`
    Zipcab

    Total      23.84
${middle}
    22:41  Terminal 5, Northern Airport, TW6 2GA

    Zipcab London Limited, 1 Tower House, 2 Leman Street, London E1 8FA
    `).sender_address,
  ).toBe('1 Tower House, 2 Leman Street, London E1 8FA');
});

test('what stands over the place is the street, without a word for streets and a number', () => {
  expect(
    read(`
    SARL BATI
    ZA de la Croix Blanche
    49124 Saint-Clément

    Facture F-1
    `).sender_address,
  ).toBe('ZA de la Croix Blanche, 49124 Saint-Clément');
});

test('an IBAN goes on at the beginning of the next line of a paragraph', () => {
  const text = `
    Merci de régler la somme sur le compte de la société : IBAN FR76
    3000 4000 0312 3456 7890 143 avant la fin du mois`;
  expect(read(text).iban).toBe('FR7630004000031234567890143');
});

test('a BIC right behind the IBAN needs no label', () => {
  expect(read('Maksetaan tilille FI49 5000 9420 0287 30, OKOYFIHH').bic).toBe('OKOYFIHH');
  expect(read('Maksetaan tilille FI49 5000 9420 0287 30, WORDDEHH')).not.toHaveProperty('bic');
});

test('references of payments in groups, and account numbers that are not those of a customer', () => {
  expect(read('Viitenumero\n24 1179').var_sym).toBe('241179');
  const fields = read(`
    A/c No. : 50200012345678
    IFS Code : HDFC0001234`);
  expect(fields.account_num).toBe('50200012345678');
  expect(fields).not.toHaveProperty('customer_id');
});

test('a number that begins like a date goes on behind it', () => {
  expect(read('FAKTURA NR 10/18/2023/UE').document_id).toBe('10/18/2023/UE');
});

test('rates in brackets are not negative', () => {
  expect(
    cells(
      'tax_details',
      `
      Taxa          Incidência    Valor IVA
      IVA (23,00)   476,85        109,68
      IVA (6,00)    222,00         13,32
    `,
    ).map((row) => row.tax_detail_rate),
  ).toEqual(['23.00', '6.00']);
});

test('the central and the state tax of India are two, and of nothing there is no tax', () => {
  const page = `
    Output CGST 9%      3,024.00
    Output SGST 9%      3,024.00
    Round Off           0.00
    Total               ₹ 39,648.00
  `;
  expect(cells('tax_details', page)).toHaveLength(2);
  expect(read(page).amount_total).toBe('39648.00');
});

test('what was given less the change is the total of a receipt', () => {
  expect(
    read(`
    TOTAL              60
    CASH             8.60
    TENDERED         9.00
    CHANGE           0.40
    SR 6%    8.12    0.47
    `).amount_total,
  ).toBe('8.60');
  expect(
    read(`
    SUB TOTAL        3.00
    CASH RECEIVED    8.00
    `).amount_total,
  ).toBe('8.00');
});

test('the name of crowns without an amount, in the language of the country', () => {
  const words = 'Betaling skal ske senest otte dage efter modtagelsen af denne faktura og til vores konto i banken';
  expect(read(`${words}\nTotal kr.     10.565,63`).currency).toBe('DKK');
});

test('terms that are a paragraph, and those that end with the first sentence behind their label', () => {
  const paragraph = `
    Der Betrag in Höhe von EUR 529,87 wird am 20.03.2018 von Ihrem Konto per SEPA-Lastschrift
    zugunsten der Sparkasse Leipzig eingezogen.

    Vielen Dank`;
  expect(read(paragraph).terms).toMatch(/^Der Betrag .* Leipzig eingezogen\.$/);
  expect(read('Betalningsvillkor 30 dagar netto. Efter förfallodagen debiteras ränta.').terms).toBe('30 dagar netto.');
});

test('labels that have lost their spaces', () => {
  expect(read('InvoiceNumber: INV-2024/17').document_id).toBe('INV-2024/17');
  expect(read('Rechnungsdatum 03.05.2024   DatumSplatnosti 02.06.2024').date_due).toBe('2024-06-02');
});

test('words of labels in names, where no number is behind them', () => {
  expect(
    read(`
    CLIENTE: 00451
    BAR LA ESQUINITA
    Calle Betis 31
    41010 SEVILLA
    `),
  ).toMatchObject({ customer_id: '00451', recipient_name: 'BAR LA ESQUINITA' });
  const page = pageOf(
    `
    Beneficiar:
    MOBILA BANAT SRL
    CUI: RO22334455
    Str. Gării 7, Lugoj, jud. Timiș
    `,
    { source: 'ocr' },
  );
  expect(analyze([page]).fields.recipient_name?.[0]?.value).toBe('MOBILA BANAT SRL');
});

test('numbers behind the name in its line are no part of it', () => {
  expect(
    read(`
    Ribeira Turismo, Lda · NIPC 513 222 114
    Rua da Ribeira 8 · 5130-221 São João

    Hóspede: Henrik Mortensen
    `),
  ).toMatchObject({ sender_name: 'Ribeira Turismo, Lda', recipient_name: 'Henrik Mortensen' });
});

test('the address at the head of a receipt is that of the shop', () => {
  const centre = (text: string) => `${' '.repeat(62 - Math.floor(text.length / 2))}${text}`;
  const head = ['', '', '', '', '', '', 'Bageri Kardemumma', 'Hamngatan 1700000', '411 10 Göteborg'].map(centre);
  const fields = read(`${head.join('\n')}\n${centre('KVITTO')}\n\n    Totalt SEK   190,00`);
  expect(fields).toMatchObject({ sender_name: 'Bageri Kardemumma', document_type: 'receipt' });
  expect(fields).not.toHaveProperty('recipient_name');
});

test('the address in a line ends with the place', () => {
  expect(
    read(`





    Matti Virtanen
    Kuusitie 8 B 14
    00270 HELSINKI

    Lasku 7011223344

    Lumikki Oy, Voimakatu 2, 90100 Oulu · Y-tunnus 0871234-5 · BIC NDEAFIHH
    `),
  ).toMatchObject({ recipient_name: 'Matti Virtanen', sender_address: 'Voimakatu 2, 90100 Oulu' });
});

test('the number of a company is the part of its VAT number, whoever stands nearer', () => {
  const fields = read(`
    Lindqvist Bygg
    Hantverksgatan 3
    972 35 Luleå

    Kund
    Eva Ström
    Tallstigen 12
    976 32 Luleå

    Org.nr: 610203-1239



                                                            Momsreg.nr: SE610203123901
  `);
  expect(fields.sender_ic).toBe('6102031239');
  expect(fields).not.toHaveProperty('recipient_ic');
});

test('a number of days is no amount, and a doctor no drive', () => {
  const fields = read(`
    Invoice to
    Kessler Consulting GmbH
    Dr. Anne Kessler
    Kantstraße 30
    10623 Berlin

    Invoice total     649.20
    Please pay within 14 days
  `);
  expect(fields.amount_due).toBe('649.20');
  expect(fields.recipient_address).toBe('Kantstraße 30, 10623 Berlin');
});

describe('dates without a label of their own', () => {
  test('of a letter: alone at the right, or behind the place', () => {
    const text = `
      Beitragsrechnung                                       24. Januar 2014

      zu Ihrer Versicherung wird der Beitrag vom 06.12.2013 bis zum 06.12.2014
      in Rechnung gestellt. Wir bitten um Zahlung.
    `;
    expect(read(text).date_issue).toBe('2014-01-24');
    expect(read('Würzburg, den 14.03.2025\n\nBauvorhaben vom 02.02.2025').date_issue).toBe('2025-03-14');
  });

  test('the date of an order is not that of the invoice, also in the next line', () => {
    const fields = read(`
      RECHNUNG
      05.06.2013
      Rechnung gemäß Bestellung Nr. 2013-4713
      vom 01.03.2013.
    `);
    expect(fields.date_issue).toBe('2013-06-05');
  });

  test('a payment that is collected on a day, in a sentence of two lines', () => {
    const fields = read(`
      Rechnungsdatum 05.03.2014
      Der Betrag von EUR 529,87 wird am 20.03.2014 von Ihrem Konto mit der
      Mandatsreferenz A-123 per Lastschrift eingezogen.
    `);
    expect(fields.date_due).toBe('2014-03-20');
  });
});

test('receipts say what they are by how they were paid', () => {
  const fields = read(`
    LE COMPTOIR
    2 Café                    4,40
    TOTAL TTC                 4,40
    Carte bancaire            4,40
  `);
  expect(fields.document_type).toBe('receipt');
});

test('no tax is as much as the total', () => {
  const fields = read(`
    Suma PTU
    Suma PLN                 45,30
    Gotówka                  50,00
    Reszta                    4,70
  `);
  expect(fields.amount_total).toBe('45.30');
  expect(fields.amount_total_tax).not.toBe('45.30');
});

test('a bar that is no payment in cash may have its name first', () => {
  const fields = read(`
         BAR PASTICCERIA AURORA
            di Conti Marta
      Corso Vittorio Emanuele 18
            10123 Torino

      Totale                   11,10
  `);
  expect(fields.sender_name).toBe('BAR PASTICCERIA AURORA');
});

test('feet with the capital of a company, or with a place that has no number', () => {
  const capital = `
    Facture du 03/04/2025

    Télénova SAS au capital de 12 500 000 € – 112 avenue de la Gare, 69003 Lyon – RCS Lyon 737 731 711 – TVA FR77737731711
  `;
  expect(read(capital)).toMatchObject({
    sender_name: 'Télénova SAS',
    sender_address: '112 avenue de la Gare, 69003 Lyon',
  });
  const listed = `
    Facture du 03/04/2025

    Télénova - SARL au capital de 8 000 € - Siret 737 731 711 00018 - 112 avenue de la Gare 69003 Lyon
  `;
  expect(read(listed)).toMatchObject({
    sender_name: 'Télénova',
    sender_address: '112 avenue de la Gare 69003 Lyon',
    sender_ic: '73773171100018',
  });
  const registered = `
    Facture du 03/04/2025

    TÉLÉNOVA, Société anonyme au capital de 1 000 000 euros, 112 avenue de la Gare 69003 Lyon, 737 731 711 R.C.S. LYON
  `;
  expect(read(registered)).toMatchObject({
    sender_name: 'TÉLÉNOVA',
    sender_address: '112 avenue de la Gare 69003 Lyon',
    sender_ic: '737731711',
  });
  const dotted = `
    Invoice 0087

    Teague Web Design · The Old Dairy, Ashprington, Totnes TQ9 7UU · 01803 555 019
  `;
  expect(read(dotted)).toMatchObject({
    sender_name: 'Teague Web Design',
    sender_address: 'The Old Dairy, Ashprington, Totnes TQ9 7UU',
  });
});

test('terms may begin with a letter that has an accent', () => {
  expect(read('Règlement à réception de facture par chèque').terms).toContain('à réception de facture');
});

test('exporter and consignee are the parties of papers for the customs', () => {
  const fields = read(`
    Exporter                              PROFORMA INVOICE No. PI-2025/0316
    Anadolu Vana Sanayi A.S.
    06935 Sincan, Turkey

    Consignee
    Gulf Process Equipment Trading LLC
    P.O. Box 61188
    Dubai, U.A.E.
  `);
  expect(fields).toMatchObject({
    document_id: 'PI-2025/0316',
    sender_name: 'Anadolu Vana Sanayi A.S.',
    recipient_name: 'Gulf Process Equipment Trading LLC',
    recipient_address: 'P.O. Box 61188, Dubai, U.A.E.',
  });
});

test('the tax of one rate is not that of all', () => {
  const fields = read(`
    CGST @ 2.5%            917.50
    SGST @ 2.5%            917.50
    Total               38,535.00
    GSTIN: 33AAKFM4417P1Z6
  `);
  expect(fields).toMatchObject({ amount_total_tax: '1835.00', currency: 'INR' });
});

test('taxes whose amounts stand under their labels', () => {
  const fields = read(`
    Subtotaal
    € 777,00
    BTW 9%
    € 13,86
    BTW 21%
    € 130,83
    Te betalen
    € 921,69
  `);
  expect(fields).toMatchObject({ amount_total_base: '777.00', amount_total_tax: '144.69' });
});

test('terms end with their sentence', () => {
  const fields = read(`
    Payment terms: 30 days end of month. Sort code 20-68-10 Account no 33871204.
  `);
  expect(fields.terms).toBe('30 days end of month.');
});

test('a number of thirteen digits without marks between them is no amount', () => {
  const { fields } = analyze([
    pageOf(`
    Tax Identifier:
    5345345345435345345

    Total without VAT        43.00 EUR
    VAT Paid                  8.60 EUR
    Total with VAT           51.60 EUR
  `),
  ]);
  expect(fields.amount_total![0]!.value).toBe('51.60');
  expect(fields.amount_total_tax![0]!.value).toBe('8.60');
});

test('the symbol of a Czech payment, cut short', () => {
  const { fields } = analyze([pageOf('Č. účtu: 2600118822/2010\n    Variabilní sym.: 20250188')]);
  expect(fields.var_sym![0]!.value).toBe('20250188');
});

test('the bank stands under the account without a label, or begins the line behind its label', () => {
  const foot = `
    Rechnung 25-118                                   12.05.2025

    Sparkasse Mittelthüringen            Musterweg 3
    DE32 8205 1000 0163 8400 27          99091 Erfurt
    HELADEF1WEM                          Deutschland
  `;
  expect(read(foot)).toMatchObject({ bic: 'HELADEF1WEM' });
  const sentence = `
    Facture 25-118 du 12/05/2025

    À régler avant le 11 juin 2025 par virement : IBAN FR76 1310 6005 0020 0144 7839 029 – BIC
    AGRIFRPP831 (Crédit Agricole Toulouse 31).
  `;
  expect(read(sentence)).toMatchObject({ bic: 'AGRIFRPP831' });
});

test('codes that look like money, an ordinal or another label keep what they are', () => {
  const fields = read(`
    SALES INVOICE

    Inv No       A/C Ref      Tax Point      Our Order
    T617733      PEN004       14/02/2025     S/220187

    Vinyl banner, 4 x 10 ft                   118.00
    Total                                     118.00

    Bank: Barclays     Sort code 20-55-34     Account no 40886213
  `);
  expect(fields).toMatchObject({ document_id: 'T617733', customer_id: 'PEN004' });
  expect(fields).not.toHaveProperty('currency', 'PEN');
  expect(fields).not.toHaveProperty('currency', 'HUF');
  expect(
    read(`
      Abrechnung Nr.: BK-2023-0417
      Objekt-/Mieternummer:     0417.12.03
      Diesen Betrag buchen wir am 07.11.2024 von Ihrem Konto ab.
    `),
  ).toMatchObject({ customer_id: '0417.12.03', date_due: '2024-11-07' });
  expect(
    read(`
      Numero            Data            Cod. cliente
      2025/A/00783      13-05-2025      C 01152
    `),
  ).toMatchObject({ document_id: '2025/A/00783', customer_id: 'C01152' });
});

test('what leaves the amount due was paid, and the end of some days is no date of issue', () => {
  const fields = read(`
    Abrechnung Nr.: BK-2023-0417                          27.08.2024

    Gesamtbetrag                                          2.502,56 EUR
    Ihre Vorauszahlungen (12 x 155,00 EUR)              - 1.860,00 EUR
    Nachzahlung                                             642,56 EUR

    Ab 01.11.2024 beträgt die monatliche Vorauszahlung 165,00 EUR.
  `);
  expect(fields).toMatchObject({ amount_total: '2502.56', amount_paid: '1860.00', amount_due: '642.56' });
  expect(
    read(`
      FACTURE N° FA00002319

      Date            Code client
      28/03/2025      CLI0417

      Chantier : remplacement du chauffe-eau, intervention du 24 au 26/03/2025
    `),
  ).toMatchObject({ date_issue: '2025-03-28' });
});

test('a limited partnership is in register A, the company that manages it in register B', () => {
  const fields = read(`
    Rechnung 3317                                         26.06.2025

    USt-IdNr. DE119508823 Registergericht Duisburg HRA 8806
    pers. haft. Gesellschafterin: Terhorst Verwaltungs-GmbH, HRB 11207, Geschäftsführer Willem Terhorst
  `);
  expect(fields.sender_ic).toBe('8806');
});

test('whose a registration is, by the genitive of its owner, by its form, and by a register of clubs', () => {
  expect(
    read(`
      Rechnung 24/0093                                  29.11.2024

      USt-IdNr. des Leistungsempfängers: DE118420677
    `),
  ).toMatchObject({ recipient_vat_id: 'DE118420677' });
  expect(
    read(`
      Waterlijn Advies B.V.                FACTUUR
      Oostzeedijk 288
      3063 CJ Rotterdam
      NL857204166B01

      Factuurnr.           F25.0388
      Verplichtingnr.      4500118820
      Wij verzoeken u het bedrag vóór 30 mei 2025 over te maken.
    `),
  ).toMatchObject({ sender_vat_id: 'NL857204166B01', order_id: '4500118820', date_due: '2025-05-30' });
  expect(read('Gebührenrechnung 2025/2    15.08.2025\n\nVereinsregister Rostock VR 1886').sender_ic).toBe('1886');
});

test('the number of a way bill is not that of the bill', () => {
  expect(
    read(`
      Invoice No.            e-Way Bill No.
      SFS/24-25/1187         2714 8830 9926
    `),
  ).toMatchObject({ document_id: 'SFS/24-25/1187' });
});
