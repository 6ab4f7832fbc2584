import { analyze } from './analyze';
import { isStreet } from './candidates/parties/party-forms';
import { pageOf } from './page-of-text';

const analyzed = (text: string) => analyze([pageOf(text)]);
const read = (text: string): Record<string, string> =>
  Object.fromEntries(Object.entries(analyzed(text).fields).map(([field, [best]]) => [field, best!.value]));
const items = (text: string) =>
  (analyzed(text).tables.line_items ?? []).map((row) =>
    Object.fromEntries(
      Object.entries(row.cells).map(([column, cell]) => [column.replace('table_column_', ''), cell.value]),
    ),
  );

test('a letter that is dated behind its place is not dated by the prescription that it names', () => {
  const fields = read(`
    Wetzikon, 18. Februar 2025

    Rechnung 25-01187
    Grundlage      Dr. med. P. Oesch vom 20.12.2024
    Zahlungsfrist  30 Tage, fällig am 20.3.2025
  `);
  expect(fields.date_issue).toBe('2025-02-18');
});

test('numbers of patients and tenants are those of customers', () => {
  expect(read('Patienten-Nr. 30918').customer_id).toBe('30918');
  expect(read('Tenant ref.   WFC-0012-OKO').customer_id).toBe('WFC-0012-OKO');
});

test('a number of the document in groups of digits', () => {
  expect(read('Facture du 12 mars 2025\nn° 25 0312 88417').document_id).toBe('25031288417');
});

test('the day on which the sender collects the amount', () => {
  const fields = read(`
    Facture du 12 mars 2025      Ce montant sera prélevé le
    n° 2503128                              2 avril 2025
  `);
  expect(fields).toMatchObject({ date_issue: '2025-03-12', date_due: '2025-04-02' });
});

test('a date whose day stands in the next line', () => {
  const fields = read(`
    Data wystawienia: 2025-02-27    Sposób zapłaty: przelew    Termin płatności: 2025-03-
    20
  `);
  expect(fields.date_due).toBe('2025-03-20');
});

test('a date between the label of a payment and its amount', () => {
  const fields = read(`
    Totale documento                 € 520,00
    Caparra del 02/05/2025         - € 150,00
    Saldo da pagare                  € 370,00
  `);
  expect(fields).toMatchObject({ amount_total: '520.00', amount_paid: '150.00', amount_due: '370.00' });
});

test('what is exempt counts in the sums of the rates', () => {
  const fields = read(`
    IVA               Imponibile    Imposta    Totale      Totale documento   520,00
    10%                   414,55      41,45    456,00
    22%                    39,34       8,66     48,00
    Escl. art. 15          16,00       0,00     16,00
  `);
  expect(fields).toMatchObject({ amount_total: '520.00', amount_total_tax: '50.11' });
});

test("the recipient's tax number behind a label that names the customer", () => {
  const fields = read(`
    Movexia España, S.A.U.
    NIF A-84512397
    CIF/NIF cliente:   B24417735
  `);
  expect(fields.recipient_vat_id).toBe('B24417735');
});

test('a name before the label of its seat, in the foot', () => {
  const gap = '\n'.repeat(55);
  const fields = read(`
    Credit note no.       SC-CN-000482
    Unit mark             WFC-0012-OKO
    Your order            email 5 Jan
    ${gap}
    Marchbank & Hale Limited - Registered office: 27 Corn Exchange, Fenwick Street, Liverpool L2 7QS
  `);
  expect(fields).toMatchObject({
    sender_name: 'Marchbank & Hale Limited',
    sender_address: '27 Corn Exchange, Fenwick Street, Liverpool L2 7QS',
  });
});

test('a label that no dictionary has is no sender', () => {
  const fields = read(`
    Credit note no.     471-000482
    Mark of the unit    0012-4471
    Lift and floor      03-17
  `);
  expect(fields).not.toHaveProperty('sender_name');
});

test('in Hungary the street stands under the place', () => {
  const fields = read(`
    Vevő:
    Kardos és Fia Pékség Kft.
    5000 Szolnok
    Mártírok útja 8. fsz. 2.
    Adószám: 24117638-2-16
  `);
  expect(fields.recipient_address).toBe('5000 Szolnok, Mártírok útja 8. fsz. 2.');
});

test('a code that goes on in the next line', () => {
  const rows = items(`
    Kod towaru       Nazwa towaru          Ilość    Cena netto   Wartość netto
    DIN933-          Śruba z łbem            150          2,31          346,50
    M8x30            kl. 8.8
    6204-2RS         Łożysko kulkowe          40          8,45          338,00
  `);
  expect(rows[0]).toMatchObject({ code: 'DIN933-M8x30', description: 'Śruba z łbem kl. 8.8' });
});

test('a long description that reaches over the border of the next column', () => {
  const rows = items(`
    Ref      Details                                                          Net £    VAT rate    Gross £
    SC-Q4    Service charge, Oct-Dec 2024: lift out of order for 31 days     186.00         20%     223.20
    INS      Buildings insurance                                              41.50         20%      49.80
  `);
  expect(rows[0]).toMatchObject({
    description: 'Service charge, Oct-Dec 2024: lift out of order for 31 days',
    amount_total_base: '186.00',
  });
});

test('the heading of a table is no company, although a limited partnership has the same letters', () => {
  const fields = read(`
    TRANS-KOWAL Adam Kowalczyk            Konin, dnia 11.10.2023 r.
    Przemysłowa 8
    62-510 Konin

    FAKTURA NR 10/18/2023/UE

    Lp. Nazwa usługi
    1   Usługa transportowa
  `);
  expect(fields.sender_name).toBe('TRANS-KOWAL Adam Kowalczyk');
});

test("the recipient's lines under a letterhead are not the sender's, whose address stands in the middle of the page", () => {
  const fields = read(`${'\n'.repeat(6)}
    Lumikki Energia                 LASKU
      Matti Meikäläinen             Laskun numero 7011223344
      Kuusitie 8 B 14               Eräpäivä      17.01.2024
      00270 HELSINKI

    Maksettava yhteensä   38,88 €
    ${'\n'.repeat(15)}
    Lumikki Energia Oy, Voimakatu 2, 90100 Oulu · Y-tunnus 0871234-5 · IBAN FI37 1590 3000 0007 76 · BIC NDEAFIHH
  `);
  expect(fields).toMatchObject({
    sender_address: 'Voimakatu 2, 90100 Oulu',
    recipient_address: 'Kuusitie 8 B 14, 00270 HELSINKI',
  });
});

test('a name in the window of a letter that stands less far under the line with the sender than its street', () => {
  const fields = read(`
    Moravská plynárenská, a.s., Plynárenská 499/1, 657 02 Brno

                                                           Radim Kovařík st
                                                           Lipová 23
                                                           664 34 Kuřim
  `);
  expect(fields).toMatchObject({ recipient_name: 'Radim Kovařík st', recipient_address: 'Lipová 23, 664 34 Kuřim' });
});

test('a company addressed as "Firma" is the recipient', () => {
  const fields = read(`${'\n'.repeat(6)}
    Firma
    Baumeister Reitinger Ges.m.b.H.
    Gewerbepark Nord 6
    4971 Aurolzmünster

    Rechnung Nr. 37
    ${'\n'.repeat(50)}
    Zimmerei Pils e.U.
    Pram 14, 4753 Taiskirchen
  `);
  expect(fields.recipient_name).toBe('Baumeister Reitinger Ges.m.b.H.');
});

test('the year of a date is no postcode', () => {
  const fields = read(`
    Zimmerei Pils e.U.

    Dachstuhl, Auftrag vom 12. November 2024, Leistungszeitraum Februar 2025
    Zimmerei Pils e.U. · Pram 14 · 4753 Taiskirchen
  `);
  expect(fields).toMatchObject({ sender_name: 'Zimmerei Pils e.U.', sender_address: 'Pram 14, 4753 Taiskirchen' });
});

test('a number and its year on both sides of a slash between spaces', () => {
  expect(read('Schlussrechnung Nr. 37 / 2025').document_id).toBe('37/2025');
});

const taxes = (text: string) =>
  (analyzed(text).tables.tax_details ?? []).map(({ cells }) => [
    cells.tax_detail_rate?.value,
    cells.tax_detail_base?.value,
    cells.tax_detail_tax?.value,
  ]);

test('a rate in brackets is not negative', () => {
  const text = `
    Taxa             Incidência     Total IVA
    IVA (6,00%)        466,80         28,01          Portes         0,00
    IVA (13,00%)       232,20         30,19          IVA           58,20
  `;
  expect(taxes(text)).toEqual([
    ['6.00', '466.80', '28.01'],
    ['13.00', '232.20', '30.19'],
  ]);
});

test('what is exempt counts where the table of rates has no column of totals', () => {
  const fields = read(`
    Riepilogo IVA         Imponibile        Imposta
    10%                       272,73          27,27
    22%                        29,51           6,49
    Escl. art. 15               7,50           0,00

    Totale documento € 343,50
  `);
  expect(fields).toMatchObject({ amount_total: '343.50', amount_total_base: '309.74', amount_total_tax: '33.76' });
});

test('a tax that names its rate twice', () => {
  const fields = read(`
    CGST Output 9%              9 %          2,651.40
    SGST Output 9%              9 %          2,651.40
    Total                                   34,762.80
    GSTIN: 33AAKFM4417P1Z6
  `);
  expect(fields.amount_total_tax).toBe('5302.80');
});

test('sums by rate under the rows are no rows', () => {
  const text = `
    Lp.  Nazwa                   Ilość    Cena netto    Wartość netto    VAT     Kwota VAT    Wartość brutto
    1    Toner do drukarki           3        189,00           567,00    23%        130,41            697,41
    2    Podręcznik BHP              2         52,00           104,00    5%           5,20            109,20
                                             W tym:            567,00    23%        130,41            697,41
                                                               104,00    5%           5,20            109,20
                                             Razem:            671,00               135,61            806,61
  `;
  expect(items(text)).toHaveLength(2);
  expect(taxes(text)).toEqual([
    ['23', '567.00', '130.41'],
    ['5', '104.00', '5.20'],
  ]);
});

test('a payment by card, and one that is printed as a deduction', () => {
  expect(
    read(`
      Gesamtbetrag                 630,60
      bezahlt mit Mastercard       630,60
      Saldo                          0,00
    `).amount_paid,
  ).toBe('630.60');
  expect(
    read(`
      Rechnungsbetrag                       4.394,67
      1. Rate vom 02.04.2025               -2.000,00
      noch zu zahlen                        2.394,67
    `),
  ).toMatchObject({ amount_total: '4394.67', amount_paid: '2000.00', amount_due: '2394.67' });
});

test('a Polish account without its country', () => {
  expect(read('Konto 69 1140 2004 0000 3102 7911 4826 mBank').iban).toBe('PL69114020040000310279114826');
});

test('the register of companies in Austria', () => {
  expect(read(`${'\n'.repeat(60)}Alpenhof Pichlmair KG · FN 318842k · Landesgericht Salzburg`).sender_ic).toBe(
    '318842k',
  );
});

test('OCR takes the point between thousands for a comma', () => {
  const fields = read('Base imponible    1,394,00 €\nIVA 21 %            292,74 €\nTotal           1.686,74 €');
  expect(fields.amount_total_base).toBe('1394.00');
});

test.each([
  ['N.º de factura', 'document_id'],
  ['Bolletta nr', 'document_id'],
  ['Zlecenie nr', 'order_id'],
  ['Uw opdrachtnr.', 'order_id'],
  ['Marché n°', 'order_id'],
  ['Gästenr.', 'customer_id'],
  ['Kunden-ID', 'customer_id'],
  ['Asiakkaan numero', 'customer_id'],
])('the label %s', (label, field) => {
  expect(read(`${label}    88417-B`)[field]).toBe('88417-B');
});

test.each(["À payer jusqu'au", 'Forfalder', 'Úhrada do', 'Te betalen tegen', 'Zahlungseingang bis'])(
  'the day %s',
  (label) => {
    expect(read(`${label}    2025-03-14`).date_due).toBe('2025-03-14');
  },
);

test.each([
  ['RE 2024/AB 0017', 'RE2024/AB0017'],
  ['FV/EX 0118/04/2025', 'FV/EX0118/04/2025'],
  ['GS 25 / 1044', 'GS25/1044'],
])('a number of the document in groups, the first of letters: %s', (printed, value) => {
  expect(read(`Invoice no. ${printed}`).document_id).toBe(value);
});

test('a currency behind a number is no group of it', () => {
  expect(read('Invoice no. INV-2207 EUR').document_id).toBe('INV-2207');
});

test('OCR takes the mark of the decimals for the point between thousands', () => {
  const fields = read('Base imponible    1.394.00 €\nIVA 21 %            292,74 €\nTotal           1.686,74 €');
  expect(fields.amount_total_base).toBe('1394.00');
});

test('compounds at the beginning of a text are invoices of some kind', () => {
  expect(read('Privatrechnung 2025/0417').document_id).toBe('2025/0417');
});

test('of a paragraph, the sentences that tell when to pay', () => {
  const fields = read(`
    I am not VAT registered and charge no tax. Please quote the number of this invoice and your name with
    every payment. Payment within 7 days is appreciated. Thank you for your custom.
  `);
  expect(fields.terms).toBe('Payment within 7 days is appreciated.');
});

test('what is withheld for the tax office has not been paid', () => {
  const fields = read(`
    Totale parcella                       2.347,28
    Ritenuta d'acconto 20%                 -370,00
    Netto a pagare                        1.977,28
  `);
  expect(fields).not.toHaveProperty('amount_paid');
});

test('a slip for the payment is addressed to whom it is paid', () => {
  const gap = '\n'.repeat(30);
  const fields = read(`${'\n'.repeat(9)}
    TAX INVOICE                                     Invoice Date      Harbour Feeds Ltd
                                                    28 Feb 2025       41 Railway Terrace
    Rangi Calf Rearing Ltd                                            Darfield 7510
    188 Tuahiwi Road
    Kaiapoi 7691
    ${gap}
    PAYMENT ADVICE                                  Customer          Rangi Calf Rearing Ltd
    To: Harbour Feeds Ltd                           Amount Due        4,463.15
    41 Railway Terrace
    Darfield 7510
  `);
  expect(fields).toMatchObject({
    sender_name: 'Harbour Feeds Ltd',
    recipient_name: 'Rangi Calf Rearing Ltd',
    recipient_address: '188 Tuahiwi Road, Kaiapoi 7691',
  });
});

test('a label over the address alone leaves the name to the letterhead', () => {
  const fields = read(`
    Zuzana Hronová - Studio Kameň

    DODÁVATEĽ                              ODBERATEĽ
    Cintorínska 18                         Horehronské gazdovstvo, družstvo
    977 01 Brezno                          Osloboditeľov 2
    IČO: 51188442                          976 45 Hronec
  `);
  expect(fields.sender_name).toBe('Zuzana Hronová - Studio Kameň');
  expect(fields.sender_address).toBe('Cintorínska 18, 977 01 Brezno');
});

test("an address with the recipient's VAT number, where the sender's has no label", () => {
  const gap = '\n'.repeat(48);
  const fields = read(`
    Atelier Hoyoux
    Menuiserie depuis 1988






                                             Fondation Sainte-Anne asbl
                                             Rue du Parc 22
                                             6870 Saint-Hubert
                                             TVA : BE0441882708

    Facture FAC/2025/00042
    ${gap}
    Atelier Hoyoux SRL · Quai de la Meuse 17, 4500 Huy · BE0671844269
  `);
  expect(fields).toMatchObject({ recipient_name: 'Fondation Sainte-Anne asbl', recipient_vat_id: 'BE0441882708' });
});

test('a court of register is no company', () => {
  const gap = '\n'.repeat(55);
  const fields = read(`
    WIETING
    ${gap}
    Geschäftsführer: Jens Kolb
    AG Iserlohn HRB 4418
  `);
  expect(fields.sender_name).not.toContain('Iserlohn');
});

test('a box of several groups of digits stands before the postcode', () => {
  const fields = read(`
    Wieting Antriebe GmbH Postfach 11 40 58802 Neuenrade

    Hydraulikbau Sender GmbH
    Zum Bahnhof 8
    48346 Ostbevern
  `);
  expect(fields).toMatchObject({ sender_name: 'Wieting Antriebe GmbH', recipient_name: 'Hydraulikbau Sender GmbH' });
});

test('numbers and dates beside labels that name both', () => {
  const fields = read(`
    Rechnung
    Nummer/Datum          90441827 / 14.03.2025
    Auftragsnr./Datum     1104418 / 03.03.2025
    Bestellnr./Datum      4500088127 / 01.03.2025
  `);
  expect(fields).toMatchObject({ document_id: '90441827', date_issue: '2025-03-14', order_id: '4500088127' });
});

test('a street that begins with "C/" is no label', () => {
  expect(read('Factura\n#F250044\n\nC/ Badajoz 7, 4o 2a').document_id).toBe('F250044');
});

test('the label of an amount that goes on to a day announces both', () => {
  const fields = read(`
    Facture n° 1018-8442 du 20 janvier 2025
    Total TTC                                        132,23 €
    Montant à payer avant le 4 février 2025 : 132,23 €
  `);
  expect(fields).toMatchObject({ date_due: '2025-02-04', amount_due: '132.23' });
});

test('of two days the one on which all is due, without the discount', () => {
  const fields = read(`
    Rechnung Nr. 4711 vom 14.03.2025
    Zahlungsbedingung: bis 28.03.2025 erhalten Sie 2,000 % Skonto, bis 13.04.2025 ohne Abzug
  `);
  expect(fields.date_due).toBe('2025-04-13');
});

test('a letter is not dated by the invoices that it deducts', () => {
  const fields = read(`
                                                       Siegsdorf, den 16.04.2025
    Schlussrechnung Nr. 2025-118

    Rechnungssumme brutto                                            10.322,30 €
    1. Abschlagsrechnung 2024-311 vom 28.11.2024                     - 4.000,00 €
    2. Abschlagsrechnung 2025-014 vom 31.01.2025                     - 3.500,00 €
    Noch zu zahlen                                                    2.822,30 €
  `);
  expect(fields).toMatchObject({ date_issue: '2025-04-16', document_id: '2025-118', amount_due: '2822.30' });
});

test('the tax inside a total that the words beside it name', () => {
  const fields = read(`
    Subtotale                        321,00 €
    Spedizione                        12,20 € tramite Corriere
    Totale                           333,20 € (include 60,08 € IVA)
  `);
  expect(fields).toMatchObject({ amount_total: '333.20', amount_total_tax: '60.08' });
});

test('terms of payment at once, and without the account', () => {
  expect(read('Umsatzsteuerfrei. Der Betrag ist sofort fällig.').terms).toBe('Der Betrag ist sofort fällig.');
  expect(read('Paiement : 30 jours fin de mois au compte LU78 0019 4418 8271 8000').terms).toBe(
    'Paiement : 30 jours fin de mois',
  );
});

test('what is deducted from subcontractors for the tax office has not been paid', () => {
  const fields = read(`
    Invoice total                                       16,000.00
    Less CIS deduction 20%                              (1,840.00)
    Amount payable                                      £14,160.00
  `);
  expect(fields).not.toHaveProperty('amount_paid');
  expect(fields.amount_due).toBe('14160.00');
});

test('in type of one width the name stands apart from the salutation', () => {
  const gap = '\n'.repeat(55);
  const fields = read(`
                    The Saltmarsh House Hotel







    Mr.  Ciaran Devane
    14 Orchard Rise
    Clonmel
    E91 K2X8
    Ireland
    ${gap}
    Strand Road, Duncannon, Co. Wexford Y34 FT88
  `);
  expect(fields.recipient_name).toBe('Mr. Ciaran Devane');
});

test('parties of Brazilian notes, by their labels', () => {
  const fields = read(`
                            PRESTADOR DE SERVIÇOS
    Nome/Razão Social: VENTO SUL MARKETING LTDA
    Endereço: R DAS PALMEIRAS 418, SALA 3 - CENTRO - CEP: 89201-002
                            TOMADOR DE SERVIÇOS
    Nome/Razão Social: CERVEJARIA SERRA AZUL S.A.
    Endereço: AV SANTOS DUMONT 1188 - BOM RETIRO - CEP: 89222-900
  `);
  expect(fields).toMatchObject({
    sender_name: 'VENTO SUL MARKETING LTDA',
    recipient_name: 'CERVEJARIA SERRA AZUL S.A.',
  });
  expect(fields.sender_address).toContain('89201-002');
});

test.each([
  ['CUIT: 30-71884427-1', 'Importe Total: $ 1.234,50', 'ARS'],
  ['RFC: GEB1204184K7', 'Total $1,234.50', 'MXN'],
  ['R.U.T.: 76.441.882-4  S.I.I. - TEMUCO', 'TOTAL $ 62.900', 'CLP'],
  ['NIT 901.188.442-7   CUFE: 8a3f', 'Total a pagar $ 1.234,50', 'COP'],
  ['RUC 20518844276', 'Importe Total S/ 1,234.50', 'PEN'],
  ['Vergi Dairesi: Çekirge', 'Ödenecek Tutar 1.234,50 TL', 'TRY'],
  ['Karoo Farm (Pty) Ltd', 'Total R 1 234.50', 'ZAR'],
  ['Bankgiro 418-8271', 'Att betala 1 234,50', 'SEK'],
])('the currency of a document with %s', (sign, total, currency) => {
  expect(read(`\n${sign}\n\n${total}`).currency).toBe(currency);
});

test('amounts without decimals, as in Chile', () => {
  const fields = read(`
    MONTO NETO     $ 276.500
    I.V.A. 19%     $ 52.535
    TOTAL          $ 329.035
  `);
  expect([fields.amount_total_base, fields.amount_total_tax, fields.amount_total].map(Number)).toEqual([
    276500, 52535, 329035,
  ]);
});

test('the date of a delivery note is not that of the invoice', () => {
  const fields = read(`
    Numero: 418/A                Data: 31/03/2025
    Rif. DDT n. 771 del 12/03/2025
  `);
  expect(fields.date_issue).toBe('2025-03-31');
});

test('a Turkish e-invoice', () => {
  const fields = read(`
    BURSA EGE TEKSTİL SAN. VE TİC. LTD. ŞTİ.          e-FATURA
    Organize Sanayi Bölgesi 4. Cad. No: 18
    16140 Nilüfer / Bursa
    VKN: 1188442715                                   Fatura No: BET2025000000418
                                                      Fatura Tarihi: 18-03-2025
    SAYIN
    Pera Otelcilik A.Ş.
    Meşrutiyet Cad. No: 52/3
    34430 Beyoğlu / İstanbul
    VKN: 7290441882

    Mal Hizmet Toplam Tutarı       22.800,00 TL
    Hesaplanan KDV(%10)             2.280,00 TL
    Ödenecek Tutar                 25.080,00 TL
  `);
  expect(fields).toMatchObject({
    document_id: 'BET2025000000418',
    date_issue: '2025-03-18',
    sender_vat_id: '1188442715',
    recipient_name: 'Pera Otelcilik A.Ş.',
    recipient_vat_id: '7290441882',
  });
  expect([fields.amount_total_base, fields.amount_total_tax].map(Number)).toEqual([22800, 2280]);
});

test('an Estonian and a Lithuanian invoice', () => {
  const estonian = read(`
    Arve 250418
    Maksetähtaeg 15.04.2025      Viitenumber 2504180
    Summa km-ta      821,00
    Käibemaks 22%    180,62
    Arve summa (EUR) 1001,62
    Reg. nr 14418827
  `);
  expect(estonian).toMatchObject({ date_due: '2025-04-15', var_sym: '2504180', sender_ic: '14418827' });
  expect(Number(estonian.amount_total)).toBe(1001.62);
  const lithuanian = read(`
    Pardavėjas                            Pirkėjas
    UAB „Dzūkijos granulės“               Lazdijų ligoninė
    Įmonės kodas 304418827                Kodas 165418827
    Pramonės g. 18, LT-62175 Alytus       Kauno g. 8, LT-67128 Lazdijai
  `);
  expect(lithuanian).toMatchObject({
    sender_ic: '304418827',
    recipient_ic: '165418827',
    sender_address: 'Pramonės g. 18, LT-62175 Alytus',
  });
});

test('terms in the middle of a line, up to the next label', () => {
  expect(read('Date: 07-06-2023 Payment term: 21 days Reference: BW/Expo/77').terms).toBe('21 days');
});

test('an American place tells that the month comes first', () => {
  expect(read('2200 E Colfax Ave Denver CO 80206\nDate 04/11/24').date_issue).toBe('2024-04-11');
});

test('descriptions under their codes, where no column is called so', () => {
  expect(
    items(`
      Pos.    Material      Menge     Preis/Einheit      Wert

      000010  4002817       40 ST      3,87 / 1 ST      154,80
              Kugellager 6204-2RS mit einem langen Namen
      000020  4009112       20 ST      1,45 / 1 ST       29,00
              Wellendichtring
      Summe Positionen                                  183,80
    `),
  ).toEqual([
    expect.objectContaining({
      code: '4002817',
      description: 'Kugellager 6204-2RS mit einem langen Namen',
      quantity: '40',
    }),
    expect.objectContaining({ code: '4009112', description: 'Wellendichtring', amount_total_base: '29.00' }),
  ]);
});

test('labels of parties in a column of their own, with their numbers', () => {
  const fields = read(`
    Dodavatel    MALIRIA a.s.                    Odběratel    Statutární město Zlín
                 Veveří 2581/102                              náměstí Míru 12
                 616 00 Brno                                  760 01 Zlín
    IČ           27074358                        IČ           00283924
    DIČ          CZ27074358                      DIČ          CZ00283924
  `);
  expect(fields).toMatchObject({
    sender_name: 'MALIRIA a.s.',
    sender_ic: '27074358',
    sender_vat_id: 'CZ27074358',
    recipient_name: 'Statutární město Zlín',
    recipient_address: 'náměstí Míru 12, 760 01 Zlín',
    recipient_ic: '00283924',
    recipient_vat_id: 'CZ00283924',
  });
});

test('an electronic invoice printed as a list: a label in each line, numbers of houses and places in their own', () => {
  const fields = read(`
    Dati del cedente / prestatore
    Dati anagrafici
    Identificativo fiscale ai fini IVA: IT07643520567
    Nome: GIOVANNI
    Cognome: ROSSETTI
    Regime fiscale: RF01 (ordinario)
    Dati della sede
    Indirizzo: LOCALITA BORGO
    Numero civico: 41
    CAP: 29027
    Comune: PODENZANO
    Provincia: PC

    Dati del cessionario / committente
    Dati anagrafici
    Identificativo fiscale ai fini IVA: IT12345670017
    Denominazione: TIPOGRAFIA NERA S.R.L.
    Dati della sede
    Indirizzo: STRADA DI COLLE ASCANIO
    Numero civico: 7 BIS
    CAP: 05100
    Comune: TERNI
  `);
  expect(fields).toMatchObject({
    sender_name: 'GIOVANNI ROSSETTI',
    sender_vat_id: 'IT07643520567',
    recipient_name: 'TIPOGRAFIA NERA S.R.L.',
    recipient_address: 'STRADA DI COLLE ASCANIO 7 BIS, 05100 TERNI',
    recipient_vat_id: 'IT12345670017',
  });
  expect(fields.sender_address).toContain('LOCALITA BORGO 41, 29027 PODENZANO');
});

test.each([
  ['Para:', 'Garrafeira do Chiado, Lda', 'Rua Garrett 44', '1200-203 Lisboa'],
  ['Pre koho fakturujeme', 'Pekáreň u Janka, s.r.o.', 'Jesenského 18', '038 61 Vrútky'],
  ['Factuur t.n.v.', 'Keukenhuis Zeeland B.V.', 'Nieuwe Weg 88', '4463 AB Goes'],
  ['Faktura dla:', 'Hotel Pod Dębem Sp. z o.o.', 'ul. Leśna 15', '26-026 Morawica'],
  ['Számlázási adatok', 'Kékfény Kft.', 'Fő utca 9.', '4400 Nyíregyháza'],
  ['Facture adressée à', 'Garage du Lac SARL', '3 rue du Moulin', '74000 Annecy'],
])('whom the invoice is for, under "%s"', (label, name, street, place) => {
  const fields = read(`
    Alpha Beta Ltd
    1 High Street
    Leeds LS1 4AB

    ${label}
    ${name}
    ${street}
    ${place}
  `);
  expect(fields).toMatchObject({ recipient_name: name, recipient_address: `${street}, ${place}` });
});

test('a small word that begins a name is no label of a party', () => {
  const fields = read(`
    From: De Bosuil B.V.
    Para Nova 4
    1011 AB Amsterdam
  `);
  expect(fields.sender_name).toBe('De Bosuil B.V.');
});

test('a day that follows from terms of payment is when it is due, not when it was issued', () => {
  const fields = read(`
    Lodève, le 6 février 2024
    Facture n° F2024-0087
    Conditions de règlement : 30 jours date de facture, soit le 07/03/2024. Règlement par virement.
  `);
  expect(fields).toMatchObject({ date_issue: '2024-02-06', date_due: '2024-03-07' });
  const german = read(`
    Rechnung 118    Landshut, 22.08.2024
    Zahlungsziel 14 Tage ab Rechnungsdatum, d.h. bis 05.09.2024
  `);
  expect(german).toMatchObject({ date_issue: '2024-08-22', date_due: '2024-09-05' });
});

test('a British account in a sentence, without labels', () => {
  const fields = read(`
    Oakridge Fencing
    Not VAT registered. Bank transfer to D Oakridge, 20-45-77, 30118842. Many thanks.
  `);
  expect(fields).toMatchObject({ bank_num: '20-45-77', account_num: '30118842' });
  expect(fields.sender_vat_id).toBeUndefined();
});

test('an account that goes on in the next line behind a hyphen', () => {
  const fields = read(`
    Bankszámlaszám: 11735005-20991847-
    00000000
  `);
  expect(fields.account_num).toBe('11735005-20991847-00000000');
});

test('central and state taxes in columns of their own, and the total rounded', () => {
  const text = `
    Description              HSN       Qty      Rate       Amount
    Mild steel angle         721610    1,250    61.50   76,875.00
    Cutting charges          998898    1     2,200.00    2,200.00
    CGST                                 9 %             7,116.75
    SGST                                 9 %             7,116.75
    Total                                            ₹ 93,309.00

    HSN/SAC     Taxable Value   CGST Rate   CGST Amount   SGST Rate   SGST Amount   Total Tax
    721610          76,875.00          9%      6,918.75          9%      6,918.75   13,837.50
    998898           2,200.00          9%        198.00          9%        198.00      396.00
    Total           79,075.00                  7,116.75                  7,116.75   14,233.50
  `;
  expect(read(text)).toMatchObject({
    amount_total_base: '79075.00',
    amount_total_tax: '14233.50',
    amount_total: '93309.00',
  });
});

test('an address beside the name that ends in a British postcode with its county, in lines set to the right', () => {
  const fields = read(`
    Oakridge Fencing                                                   Hollow Farm
                                                                     Bicester Road
                                                                         Aylesbury
                                                                    Bucks HP18 0QA
    INVOICE
    Mr P Dunmore
    14 Pightle Crescent
    Buckingham
    MK18 1RS
  `);
  expect(fields.sender_address).toBe('Hollow Farm, Bicester Road, Aylesbury, Bucks HP18 0QA');
});

test('the row of sums under a table is no item: "Součet"', () => {
  const text = `
    Položka              Množ. MJ     Cena/MJ    DPH %     Bez DPH       DPH
    Licence systému       1 ks      12 900,00       21   12 900,00  2 709,00
    Školení uživatelů     3 hod      1 100,00       21    3 300,00    693,00
    Součet                                              16 200,00  3 402,00

    K úhradě: 19 602,00 CZK
  `;
  expect(items(text)).toHaveLength(2);
  expect(read(text)).toMatchObject({ amount_total_base: '16200.00', amount_total_tax: '3402.00' });
});

test('a row with its discount and its net sum in lines of their own; prices of a hundred; rows go on', () => {
  const text = `
    Pos.   Material   Bezeichnung                 Menge ME      Preis / PE    Betrag
    10     K-004471   Kugelhahn DN25 Edelstahl       12 ST       48,60 / 1    583,20
                      Rabatt 10,000 %                                         58,32-
                      Nettowert Position                                      524,88
    20     D-117720   Flachdichtung DN25            200 ST      61,00 / 100   122,00
    30     S-880041   Sechskantschraube M16x70      400 ST      87,50 / 100   350,00

                                                  Nettobetrag                 996,88
                                                  Umsatzsteuer 19,00 %        189,41
                                                  Endbetrag                 1.186,29
  `;
  expect(items(text).map(({ code }) => code)).toEqual(['K-004471', 'D-117720', 'S-880041']);
});

test('texts with amounts over a sum that no label is known for, one of them a part paid before', () => {
  const text = `
    Onorario progetto esecutivo                      € 3.200,00
    Direzione lavori, primo acconto                  € 1.500,00
    Rimborso spese di viaggio                           € 84,00
    Totale degli onorari e delle spese               € 4.784,00
    Contributo integrativo 4%                          € 191,36
    Imponibile IVA                                   € 4.975,36
    IVA 22%                                          € 1.094,58
    Totale fattura                                   € 6.069,94
  `;
  expect(items(text).map(({ description }) => description)).toEqual([
    'Onorario progetto esecutivo',
    'Direzione lavori, primo acconto',
    'Rimborso spese di viaggio',
  ]);
  expect(read(text).amount_paid).toBeUndefined();
});

test('cubic metres behind a quantity; prices, net amounts, tax and gross amounts of rows that are headed alike', () => {
  const text = `
    Označení dodávky                 Množství      J.cena        Cena    %DPH          DPH     Kč Celkem
    Stavební řezivo smrk 50x150        2,4 m3    7 200,00   17 280,00      21     3 628,80     20 908,80
    Lať střešní 40x60                   320 m       24,50    7 840,00      21     1 646,40      9 486,40

    CELKEM K ÚHRADĚ                                                                            30 395,20
  `;
  expect(items(text)[0]).toMatchObject({
    quantity: '2.4',
    amount_base: '7200.00',
    amount_total_base: '17280.00',
    amount_total: '20908.80',
  });
});

test('amounts of discounts are no amounts of rows', () => {
  const text = `
    Quantity   Details                      Unit Price   Disc Amt    Net Amt    VAT %
    24.00      Galvanised shackle 12mm            3.15       7.56      68.04    20.00
    2.00       Mooring rope 18mm                212.50       0.00     425.00    20.00

    Total Net Amount                                                  493.04
  `;
  expect(items(text).map((row) => row.amount_total_base)).toEqual(['68.04', '425.00']);
});

test.each([
  ['Het bedrag van € 57,87 schrijven wij rond 19 december 2024 af van rekening NL20 INGB 0001 2345 67.', '2024-12-19'],
  ['We will collect £57.87 from your account on or just after 19 December 2024.', '2024-12-19'],
  ['Den Betrag werden wir am 19.12.2024 von Ihrem Konto einziehen, bitte sorgen Sie für Deckung.', '2024-12-19'],
])('the day on which an amount is collected: "%s"', (sentence, due) => {
  expect(read(`Invoice date  3 December 2024\n\n${sentence}`).date_due).toBe(due);
});

test('the "O" of a Romanian number that OCR sees twice', () => {
  const [fields] = [analyze([pageOf('Furnizor\nLUCIU CLEAN SRL\nCIF: RO039118447', { source: 'ocr' })]).fields];
  expect(fields.sender_vat_id![0]!.value).toBe('RO39118447');
});

test.each([
  ['document_id', 'Korekta nr', 'KOR/12/2025'],
  ['document_id', 'Szla szám', 'AB-00412'],
  ['document_id', 'Bizonylat azonosító', 'AB-00412'],
  ['order_id', "Buyer's Reference", 'KYT/25/008'],
  ['order_id', 'Verplichtingennummer', '4400218'],
  ['order_id', 'Numéro d’engagement', 'EJ-204418'],
  ['customer_id', 'Debiteurcode', '81447'],
  ['customer_id', 'Vertragskontonummer', '2008814471'],
  ['customer_id', 'Asiakkaan tunnus', '40118'],
  ['account_num', 'Bankgironummer', '5118-4471'],
  ['var_sym', 'Sklic na št.', '2024118'],
])('a label of %s: "%s"', (field, label, value) => {
  expect(read(`${label}: ${value}`)[field]).toBe(value);
});

test.each([
  ['date_due', 'Zahltermin'],
  ['date_due', 'Uiterlijk te betalen op'],
  ['date_due', 'Autogiro dras'],
  ['date_due', 'Placilo do'],
  ['date_issue', 'Miejsce i data wystawienia'],
  ['date_issue', 'Uitgiftedatum'],
  ['date_issue', 'Fecha y hora de expedición'],
])('a label of %s: "%s"', (field, label) => {
  const other = field === 'date_due' ? 'date_issue' : 'date_due';
  const fields = read(`${label}: 17.02.2025`);
  expect(fields[field]).toBe('2025-02-17');
  expect(fields[other]).toBeUndefined();
});

test('a table of which prices and amounts alone are headed, with quantities before the descriptions', () => {
  const text = `
                                                       DPH      Cena za MJ    Celkem bez DPH
     18  hod  Grafické práce – katalog jaro           21 %          750,00         13 500,00
      1  ks   Licence fotografií                      21 %        2 400,00          2 400,00

                                            Celkem bez DPH                      15 900,00 Kč
  `;
  expect(items(text)).toEqual([
    {
      description: 'Grafické práce – katalog jaro',
      quantity: '18',
      uom: 'hod',
      rate: '21',
      amount_base: '750.00',
      amount_total_base: '13500.00',
    },
    {
      description: 'Licence fotografií',
      quantity: '1',
      uom: 'ks',
      rate: '21',
      amount_base: '2400.00',
      amount_total_base: '2400.00',
    },
  ]);
});

test('a unit with its plural in brackets', () => {
  const text = `
    Description             Quantité         Prix unitaire    Taxes     Montant
    Chaise de bureau        6,00 Unité(s)           189,00      21%    1.134,00
    Livraison et montage    3,50 Heures              48,00      21%      168,00

    Montant hors taxes                                                 1.302,00
  `;
  expect(items(text).map(({ uom }) => uom)).toEqual(['Unité(s)', 'Heures']);
});

test('a short word that OCR reads is no label that differs from it in a letter of another form', () => {
  const page = pageOf('Rua Serpa Pinto 71\nFatura FT A2025/218', { source: 'ocr' });
  expect(analyze([page]).fields.document_id![0]!.value).toBe('FTA2025/218');
});

test('a credit note is not dated by the invoice that it names', () => {
  const fields = read(`
    AVOIR N°        DATE          CODE CLIENT
    AV004418        19/06/2024    C00711

    Avoir sur facture FC118447 du 31/05/2024 - retour de marchandise
  `);
  expect(fields).toMatchObject({ document_id: 'AV004418', date_issue: '2024-06-19' });
});

test('the family that has a house stands under its name', () => {
  const page = pageOf(`
                                      Gasthof zur Klamm
    Familie Unterrainer · 6382 Kirchdorf in Tirol, Litzlfelden 18 · Tel +43 5352 61184
  `);
  const words = page.words.map((word) => {
    const [left, top, right, bottom] = word.position;
    return word.line === 1 ? { ...word, position: [left, top - 12, right, bottom] as const } : word;
  });
  expect(analyze([{ ...page, words }]).fields.sender_name![0]!.value).toBe('Gasthof zur Klamm');
});

test('numbers of a party between its label and its name', () => {
  const fields = read(`
    Dodavatel:                              Odběratel:  IČ: 46611038  DIČ: CZ46611038
    Pila Kamenice s.r.o.
    Vodní 88                                TESKO a.s.
    394 70 Kamenice nad Lipou               Jihlavská 1007
    IČ: 28114407                            393 01 Pelhřimov
  `);
  expect(fields).toMatchObject({ sender_ic: '28114407', recipient_ic: '46611038' });
});

test('"DE" and "PARA" alone in a line are labels of parties', () => {
  const fields = read(`
    DE                                  PARA
    Lucía Barreiro Castro               Conservas Ría de Muros, S.L.
    Rúa do Franco 31, 2º                Polígono A Tomada, parcela 8
    15705 Santiago de Compostela        15949 A Pobra do Caramiñal
  `);
  expect(fields).toMatchObject({
    sender_name: 'Lucía Barreiro Castro',
    recipient_name: 'Conservas Ría de Muros, S.L.',
  });
});

test.each([
  ['Faktura nr FZ 4/02/2025', 'FZ4/02/2025'],
  ['Faktura nr 4/02/2025', '4/02/2025'],
  ['Faktura z dnia 4/02/2025', undefined],
  ['Facture n DU 4/02/2025', undefined],
])('numbers that could be dates: "%s"', (text, id) => {
  expect(read(text).document_id).toBe(id);
});

test('a British VAT number that goes on in the next line of the foot', () => {
  const fields = read(`
    Brightwell Energy Supply Limited. Registered office: 2 Temple Quay, Bristol BS1 6DZ. VAT Reg. No. GB
    311 8447 12
  `);
  expect(fields.sender_vat_id).toBe('GB311844712');
});

test('the name of a house over its street in the block of somebody whom a label names elsewhere', () => {
  const fields = read(`
    N° client : 44711844                     M. YANNICK TREVIDIC
    Titulaire : M. Yannick Trévidic          RESIDENCE LES AJONCS BAT C
    N° de ligne : 06 11 84 47 18             118 RUE ANATOLE FRANCE
                                             29200 BREST
  `);
  expect(fields.recipient_address).toBe('RESIDENCE LES AJONCS BAT C, 118 RUE ANATOLE FRANCE, 29200 BREST');
});

test('a town that sends a bill with a slip at the foot', () => {
  const fields = read(`
    CITY OF ELLSWORTH FALLS
    Water & Sewer Department
    118 Main Street, Ellsworth Falls, WI 54011

    Account Number    Bill Date     Due Date
    004-4711-00       04/01/2025    04/21/2025
    ${'\n'.repeat(52)}
    DARYL & JUNE SWENSON             Make checks payable to:
    2207 CEDAR CT                    City of Ellsworth Falls
    ELLSWORTH FALLS WI 54011-4471    118 Main Street
                                     Ellsworth Falls, WI 54011
  `);
  expect(fields).toMatchObject({
    sender_name: 'CITY OF ELLSWORTH FALLS',
    recipient_name: 'DARYL & JUNE SWENSON',
    recipient_address: '2207 CEDAR CT, ELLSWORTH FALLS WI 54011-4471',
  });
});

test('the rate of the one tax is that of the items, where none stands beside the tax', () => {
  const text = `
    Varetekst             Antall    Pris eks. mva    Mva %        Beløp
    Fiskekasser 20 kg        240            38,00       25     9 120,00
    Frakt                      1         1 450,00       25     1 450,00

    Sum eks. mva    Mva-grunnlag    Mva         Å betale
    10 570,00       10 570,00       2 642,50    13 212,50
  `;
  const [row] = analyzed(text).tables.tax_details!;
  expect(row!.cells.tax_detail_rate!.value).toBe('25');
});

test.each([
  'Savanorių pr. 118',
  'Brīvības iela',
  'Konstitucijos prospektas',
  'Cumhuriyet Caddesi',
  'Atatürk Bulvarı',
  'Bulevar oslobođenja',
  'Trg bana Jelačića',
])('streets of the Baltics, the Balkans and Turkey: "%s"', (street) => {
  expect(isStreet(street)).toBe(true);
});

test('the form of the recipient begins with a number, and a name goes on in the next line of its cell', () => {
  const fields = read(`
    Informationen zum Käufer
    Leitweg-ID:              05711-12001-48
    Name:                    Stadt Ahlbrügge, Amt für
                             Gebäudewirtschaft
    Straße / Hausnummer:     Am Rathausplatz 2
    Postfach:
    PLZ:                     33790
    Ort:                     Ahlbrügge
  `);
  expect(fields).toMatchObject({
    recipient_name: 'Stadt Ahlbrügge, Amt für Gebäudewirtschaft',
    recipient_address: 'Am Rathausplatz 2, 33790 Ahlbrügge',
  });
});

test('a labelled name in two lines, before the label of the street', () => {
  const fields = read(`
    RECEPTOR
    Razón social: AYUNTAMIENTO DE
    ROBLEDILLO
    Domicilio: Plaza Mayor 1
    Población: 28194 Robledillo
  `);
  expect(fields.recipient_name).toBe('AYUNTAMIENTO DE ROBLEDILLO');
});

test('headings inside of the block of a party are no name, nor are its endpoints an address', () => {
  const fields = read(`
    Sprzedawca                                Nabywca
    Dane identyfikacyjne                      Dane identyfikacyjne
    Nazwa: Zakład Orlik Sp. z o.o.            Nazwa: Targi Książki S.A.
    Adres                                     Adres
    ul. Modlińska 199                         ul. Głogowska 14
    03-122 Warszawa                           60-734 Poznań

    Buyer
    Fjordkraft Data AS
  `);
  expect(fields).toMatchObject({
    recipient_name: 'Targi Książki S.A.',
    recipient_address: 'ul. Głogowska 14, 60-734 Poznań',
  });
  const buyer = read(`
    Buyer
    Fjordkraft Data AS
    Endpoint ID: 987654325
    Havnegata 7
    7010 Trondheim
  `);
  expect(buyer.recipient_address).toBe('Havnegata 7, 7010 Trondheim');
});

test('a tax whose rate, base and amount stand one below the other', () => {
  const { tables } = analyzed(`
    Aliquota IVA (%): 22.00
    Totale imponibile/importo: 1215.00
    Totale imposta: 267.30

    Aliquota IVA (%): 10.00
    Totale imponibile/importo: 100.00
    Totale imposta: 10.00
  `);
  const cells = tables.tax_details?.map((row) => Object.values(row.cells).map(({ value }) => value));
  expect(cells).toEqual([
    ['22.00', '1215.00', '267.30'],
    ['10.00', '100.00', '10.00'],
  ]);
});

test('the version of a format is not the number of the document', () => {
  const fields = read(`
    FACTURA ELECTRÓNICA (Facturae 3.2.2)

    Nº Factura     Serie     Fecha expedición
    2025/0193      A         28-02-2025
  `);
  expect(fields.document_id).toBe('2025/0193');
});

test('a reference of the buyer counts as an order only where there is none', () => {
  expect(read('Buyer reference: 0150abc\nPurchase order reference: PO-55781').order_id).toBe('PO-55781');
});

test('a number in groups behind a colon that stands alone', () => {
  expect(read('N° de facture : 25 090 771 204').document_id).toBe('25090771204');
});

test('a sentence about prices over the head of a table is no part of it', () => {
  const rows = items(`
    Faktura wystawiona w cenach netto w walucie PLN
              Nazwa towaru lub                             Cena jedn.                    Stawka    Wartość sprzedaży
    Lp.                                                                 Ilość   Miara
                   usługi                                       netto                   podatku                netto
    1     Projekt okładki                                  900,00       1       usł.        23%               900,00
    2     Druk katalogu                                    8,40         100     szt.         5%               840,00
  `);
  expect(rows).toMatchObject([
    { amount_base: '900.00', quantity: '1', amount_total_base: '900.00' },
    { amount_base: '8.40', quantity: '100', amount_total_base: '840.00' },
  ]);
});

test('net amount and rate are no part of what was sold', () => {
  const rows = items(`
    Abonnements et options (du 05/09 au 04/10)     49,90 €   20 %   59,88 €
    Services Plus                                   5,00 €   20 %    6,00 €
    Total TTC                                                       65,88 €
  `);
  expect(rows.map(({ description }) => description)).toEqual([
    'Abonnements et options (du 05/09 au 04/10)',
    'Services Plus',
  ]);
});

test('a column of credits does not make a credit note', () => {
  const fields = read(`
    Rechnung   77120
    Datum      Beschreibung     Anz.    Preis    Belastung CHF    Gutschrift CHF
    07.10.25   Übernachtung     1      189.00           189.00
  `);
  expect(fields.document_type).toBe('tax_invoice');
});

test('cells that are set half a line apart keep what stands under their own labels', () => {
  const typed = pageOf(`
                              Organisationsnr
    Plusgiro
                              556036-0793
    44 21 90-7
  `);
  const words = typed.words.map((word) => {
    const [left, top, right] = word.position;
    return { ...word, position: [left, top * 0.35, right, top * 0.35 + 18] as const };
  });
  const { fields } = analyze([{ ...typed, words }]);
  expect(fields.account_num?.map(({ value }) => value)).toEqual(['442190-7']);
});

test('a number under its label goes before that of a house in an address beside it', () => {
  const fields = read(`
    Invoice Date       Bluegum Refrigeration
    7 Mar 2025         Services Pty Ltd
    Invoice Number     Unit 9
    INV-4471           14 Enterprise Ave
  `);
  expect(fields.document_id).toBe('INV-4471');
});

test('who is written to for the attention of somebody is the recipient', () => {
  const fields = read(`
    Harbourside Cafe Group Pty Ltd                Bluegum Refrigeration Services Pty Ltd
    Attention: Mei Tanaka                         Unit 9, 14 Enterprise Ave
    Level 3, 88 Darling Drive                     TWEED HEADS SOUTH NSW 2486
    SYDNEY NSW 2000                               AUSTRALIA
    ABN: 53 004 085 616
  `);
  expect(fields.recipient_name).toBe('Harbourside Cafe Group Pty Ltd');
});

test('a VAT number that goes on with the first word of the next line of its sentence', () => {
  const fields = read(`
    Vélane Mobile SAS - 3 quai des Indes, 56100 Lorient - N° TVA intracommunautaire FR 03
    552081317. En cas de retard de paiement, une pénalité sera appliquée.
  `);
  expect(fields.sender_vat_id).toBe('FR03552081317');
});

test('a house is no town where a Canadian postcode comes behind', () => {
  const fields = read(`
    Billed To
    Ferreira Roofing Ltd.
    2295 Kingsway
    Burnaby, British Columbia
    V5H 2A9
  `);
  expect(fields.recipient_address).toBe('2295 Kingsway, Burnaby, British Columbia, V5H 2A9');
});

test('what is left to pay is due, not the total', () => {
  const fields = read(`
    Total TTC                      6 977,30
    Acompte reçu le 02/04/2025   - 2 000,00
    Reste à payer TTC            4 977,30 €
  `);
  expect(fields).toMatchObject({ amount_total: '6977.30', amount_paid: '2000.00', amount_due: '4977.30' });
});

test('a Hungarian account is not the number of the document', () => {
  const fields = read(`
    Számla               2025-000214
    Számlaszám: 10918001-00000027-88110002
  `);
  expect(fields.document_id).not.toBe('10918001-00000027-88110002');
});

test("dollars are New Zealand's where its tax numbers are printed", () => {
  const text = 'GST No: 49-098-576\nYour No.    Terms\nNST-4471    Net 30\nTotal Amount: $2,563.35';
  expect(read(text)).toMatchObject({ currency: 'NZD', order_id: 'NST-4471' });
});
