import { analyze } from '../../analyze';
import { pageOf } from '../../page-of-text';

const rows = (...texts: string[]) =>
  (analyze(texts.map((text, at) => pageOf(text, { number: at + 1 }))).tables.line_items ?? []).map((row) =>
    Object.fromEntries(
      Object.entries(row.cells).map(([column, cell]) => [column.replace('table_column_', ''), cell.value]),
    ),
  );

test('codes under "#" are codes, not numbers of rows', () => {
  const head = '#         Description          Qty      Price       Total';
  expect(
    rows(`
      ${head}
      K1309     Copy paper           14       2.50       35.00
      M1483     Toner                 2      40.00       80.00
    `).map((row) => row.code),
  ).toEqual(['K1309', 'M1483']);
  expect(
    rows(`
      ${head}
      1         Copy paper           14       2.50       35.00
      2         Toner                 2      40.00       80.00
    `).map((row) => row.code),
  ).toEqual([undefined, undefined]);
});

test('headings that mislead are put right by quantity times price', () => {
  expect(
    rows(`
      Description               Hours        Rate / Taux      Total
      Weekly cleaning            36             32.00        1152.00
      Carpet shampoo              4             45.00         180.00
    `),
  ).toEqual([
    expect.objectContaining({ quantity: '36', amount_base: '32.00', amount_total_base: '1152.00' }),
    expect.objectContaining({ quantity: '4', amount_base: '45.00', amount_total_base: '180.00' }),
  ]);
});

test('where the amount of a row is with tax, so is the price that it is the product of', () => {
  expect(
    rows(`
      Artikel                 Aantal    Prijs per stuk     BTW     Prijs incl. BTW
      Hoes                       2          99,99          21%        199,98
      Lader                      3          10,00          21%         30,00
    `)[0],
  ).toMatchObject({ quantity: '2', amount: '99.99', amount_total: '199.98', rate: '21' });
});

test('amounts may stand in the line under the name', () => {
  expect(
    rows(`
      Pos   Description               Qty         VAT %       Net amount
      1     Steel coil                10          0
            Packed in boxes                                    1000.00
      2     Bumper                     5          0
            Packed in boxes                                     500.00
    `).map((row) => [row.quantity, row.amount_total_base]),
  ).toEqual([
    ['10', '1000.00'],
    ['5', '500.00'],
  ]);
});

test('the table goes on under the sum of a section', () => {
  expect(
    rows(`
      Désignation                    Qté        PU HT        Total HT
      Fenêtre PVC                    4,00       412,00       1 648,00
      Sous-total                                             1 648,00
      Évacuation                     2,00        90,00         180,00
      Total HT                                               1 828,00
    `).map((row) => row.description),
  ).toEqual(['Fenêtre PVC', 'Évacuation']);
});

test('sums at the foot of a page do not end a table that goes on under the same head', () => {
  const page = (item: string, last: string) => `
      Description               Qty       Price        Amount
      ${item.padEnd(25)}  2       10.00         20.00
      ${last}
  `;
  expect(
    rows(
      page('Hinge', 'Subtotal                                        20.00'),
      page('Screw', 'Total       40.00'),
    ).map((row) => row.description),
  ).toEqual(['Hinge', 'Screw']);
});

test('the number of the article under its description', () => {
  expect(
    rows(`
      Bezeichnung               Menge     Einzelpreis     Gesamt
      Dichtsatz                   8          62,40        499,20
      Art.-Nr. 88-399
    `)[0],
  ).toMatchObject({ description: 'Dichtsatz', code: '88-399' });
});

test('numbers of accounts in the foot of the page are no items', () => {
  expect(
    rows(`
      Description               Qty       Price        Amount
      Hinge                      2        10.00         20.00
      Registry Hanau            44     305075009400000
    `),
  ).toHaveLength(1);
});

test('numbers set to the right under headings set to the left', () => {
  expect(
    rows(`
      Popis                     Množstvo            Cena za MJ          DPH %               Spolu bez DPH
      Doprava                               9.00           569.74                      10         5127.66
      Olej motorový                         2.00           722.43                      10         1444.86
    `)[0],
  ).toEqual({
    description: 'Doprava',
    quantity: '9.00',
    amount_base: '569.74',
    rate: '10',
    amount_total_base: '5127.66',
  });
});

test('sums carried from page to page are no rows, and the table goes on under them', () => {
  const page1 = `
      Description               Qty        Price        Total
      Copy paper                 10         2.50        25.00
      Toner                       2        40.00        80.00
      Carried forward                                  105.00
    `;
  const page2 = `
      Brought forward                                  105.00
      Stapler                     1        12.00        12.00
      Total                                            117.00
    `;
  expect(rows(page1, page2).map((row) => row.amount_total_base)).toEqual(['25.00', '80.00', '12.00']);
});

test('the numbers of the columns under a head are no row', () => {
  expect(
    rows(`
      Nr. crt.   Denumirea produselor       U.M.   Cantitatea   Pret unitar    Valoarea
      0          1                          2      3            4              5 (3x4)
      1          Scaun tapitat              buc    24           385,00         9.240,00
      2          Masa rotunda               buc    6            1.150,00       6.900,00
    `).map((row) => row.description),
  ).toEqual(['Scaun tapitat', 'Masa rotunda']);
});

test('codes that stand over their descriptions are codes', () => {
  expect(
    rows(`
      Item                             Qty        Rate        Amount
      MOW-WK                             4      185.00        740.00
      Weekly mowing
      MULCH2                             2       50.00        100.00
      Cedar mulch
    `).map(({ code, description }) => [code, description]),
  ).toEqual([
    ['MOW-WK', 'Weekly mowing'],
    ['MULCH2', 'Cedar mulch'],
  ]);
});

test('one word over every description is not always a code', () => {
  expect(
    rows(`
      Item                             Qty        Rate        Amount
      Mowing                             4      185.00        740.00
      every week
      Mulch                              2       50.00        100.00
      of cedar
    `).map(({ code, description }) => [code, description]),
  ).toEqual([
    [undefined, 'Mowing every week'],
    [undefined, 'Mulch of cedar'],
  ]);
});

test('what is headed as the description is the code where another column has the words', () => {
  expect(
    rows(`
      Tuote     Nimike                   Maara    Yks    A-hinta    Yhteensa
      100       Vuosihuolto                 2     kpl     480,00      960,00
      215       Hydrauliöljy                3     kpl      89,90      269,70
    `).map(({ code, description }) => [code, description]),
  ).toEqual([
    ['100', 'Vuosihuolto'],
    ['215', 'Hydrauliöljy'],
  ]);
});

test('a heading in two languages is one heading', () => {
  expect(
    rows(`
      Popis / Description          Množstvo / Qty     MJ / Unit     Cena / Price     Spolu / Total
      Dubová dyha 0,6 mm           250,00             m2            4,15             1 037,50
      Paleta drevená               3,00               ks            12,00            36,00
    `)[0],
  ).toEqual({
    description: 'Dubová dyha 0,6 mm',
    quantity: '250.00',
    uom: 'm2',
    amount_base: '4.15',
    amount_total_base: '1037.50',
  });
});

test('a description and an amount are a table; the sums under them are not part of it', () => {
  expect(
    rows(`
      DESCRIPTION                                        AMOUNT
      Event photography, 3 days                       £1,350.00
      Editing of 200 images                             £400.00
                                      TOTAL           £1,750.00
                                      DEPOSIT PAID      £500.00
    `),
  ).toEqual([
    { description: 'Event photography, 3 days', amount_total_base: '1350.00' },
    { description: 'Editing of 200 images', amount_total_base: '400.00' },
  ]);
});

test('a row may begin with the word for a deposit', () => {
  expect(
    rows(`
      Názov položky              Množstvo    MJ    Cena za MJ    DPH %    Spolu s DPH
      Záloha 60 % na okná        1           ks    1 250,00      20       1 500,00
      Základ dane                                                         1 250,00
      DPH                                                                   250,00
    `),
  ).toEqual([
    {
      description: 'Záloha 60 % na okná',
      quantity: '1',
      uom: 'ks',
      amount_base: '1250.00',
      rate: '20',
      amount_total: '1500.00',
    },
  ]);
});

test('a decimal mark that OCR has lost is put back where the product tells', () => {
  const { tables } = analyze([
    pageOf(
      `
      Bezeichnung               Anzahl      Preis        Betrag
      Hecke schneiden             75        92.00        690.00
      Entsorgung                  12       140.00        168.00
      Fahrt                        3        10.00         30.00
    `,
      { source: 'ocr' },
    ),
  ]);
  expect(tables.line_items!.map(({ cells }) => cells.table_column_quantity!.value)).toEqual(['7.5', '1.2', '3']);
});

test('references may fill the column of the description before the first row; their dates are no quantities', () => {
  const references = Array.from({ length: 8 }, (_, at) => `                Rif. DDT ${at + 1} del 0${at + 1}.07.2024`);
  expect(
    rows(`
      Codice    Descrizione                  Quantità    Prezzo     Importo
${references.join('\n')}
      TB3412    TUBO MULTISTRATO               200,00      1,50      300,00
                ACCONTO PROVVIGIONI              1,00     20,00       20,00
    `).map(({ description, quantity, amount_total_base }) => [description, quantity, amount_total_base]),
  ).toEqual([
    ['TUBO MULTISTRATO', '200.00', '300.00'],
    ['ACCONTO PROVVIGIONI', '1.00', '20.00'],
  ]);
});

test('rows without a head, with quantity and unit in one word', () => {
  expect(
    rows(`
      Städning januari          16tim        395,00       6 320,00
      Fönsterputs                1st       1 450,00       1 450,00
      Netto                                               7 770,00
    `),
  ).toEqual([
    {
      description: 'Städning januari',
      quantity: '16',
      uom: 'tim',
      amount_base: '395.00',
      amount_total_base: '6320.00',
    },
    {
      description: 'Fönsterputs',
      quantity: '1',
      uom: 'st',
      amount_base: '1450.00',
      amount_total_base: '1450.00',
    },
  ]);
});

test('quantities without a heading before the descriptions', () => {
  expect(
    rows(`
           Omschrijving                      Bedrag       Totaal
      12 x Onderhoudsbeurt                    45,00       540,00
      2 x  Buitenband                         29,50        59,00
      Subtotaal                                           599,00
    `),
  ).toEqual([
    { description: 'Onderhoudsbeurt', quantity: '12', amount_base: '45.00', amount_total_base: '540.00' },
    { description: 'Buitenband', quantity: '2', amount_base: '29.50', amount_total_base: '59.00' },
  ]);
});

test('a discount in a column of its own keeps quantity, price and amount together', () => {
  expect(
    rows(`
      Descrição             Qtd.     Pr. Unitário    Desc.    Valor
      Vinho tinto          36,00             6,50     5,00   222,30
      Azeite virgem         4,00            32,00    10,00   115,20
    `).map((row) => [row.quantity, row.amount_base, row.amount_total_base]),
  ).toEqual([
    ['36.00', '6.50', '222.30'],
    ['4.00', '32.00', '115.20'],
  ]);
});

test('two headings for the description: codes stand under the one, words under the other', () => {
  expect(
    rows(`
      Artikel     Omschrijving            Aantal      Prijs       Bedrag
      CV-889      CV-ketel HR 28 kW            2   1.650,00     3.300,00
      ARB         Arbeidsloon monteur       11,5      62,00       713,00
    `).map((row) => [row.code, row.description]),
  ).toEqual([
    ['CV-889', 'CV-ketel HR 28 kW'],
    ['ARB', 'Arbeidsloon monteur'],
  ]);
});

test('an amount alone under the rows is their sum, and no part of the last one', () => {
  const page = pageOf(`
    Množství  Popis                      Cena        Celkem
    4 hod     Korektura brožury        450,00      1 800,00
    1 ks      Návrh plakátu          3 500,00      3 500,00
                                                   5 300,00
  `);
  const { fields, tables } = analyze([page]);
  expect(fields.amount_total?.[0]?.value).toBe('5300.00');
  expect(tables.line_items).toHaveLength(2);
});

test('quantities under the heading of the unit', () => {
  expect(
    rows(`
            MJ      Popis                      Cena        Celkem
      4     hod     Korektura brožury        450,00      1 800,00
      1     ks      Návrh plakátu          3 500,00      3 500,00
    `)[0],
  ).toMatchObject({ quantity: '4', uom: 'hod' });
});

test('units over the edge of the next column', () => {
  expect(
    rows(`
      Pos.  Menge Bezeichnung                    Einzelpreis    Gesamtpreis
      01    1,000 psch  Carport aus Fichte         5.480,00      5.480,00
      02   33,000 qm    Dachschalung                  29,80        983,40
      03   12,500 Std   Facharbeiter                  58,00        725,00
    `).map((row) => [row.quantity, row.uom, row.description]),
  ).toEqual([
    ['1.000', 'psch', 'Carport aus Fichte'],
    ['33.000', 'qm', 'Dachschalung'],
    ['12.500', 'Std', 'Facharbeiter'],
  ]);
});

test('a net price that makes the gross amount only with the quantity', () => {
  expect(
    rows(`
      Tétel              Mennyiség     Nettó ár      ÁFA      Bruttó
      Szivattyú             1 db       15 740 Ft     27%     19 990 Ft
      Fólia                 2 db        9 441 Ft     27%     23 980 Ft
    `)[1],
  ).toMatchObject({ quantity: '2', amount_base: '9441', rate: '27', amount_total: '23980' });
});

test('brackets say more about a heading, and are none', () => {
  expect(
    rows(`
      Description       Qty    Unit price     VAT rate    Unit price     Item subtotal
                               (excl. VAT)                (incl. VAT)     (incl. VAT)
      Desk lamp          2       £24.99         20%         £29.99          £59.98
      Bulb               1        £9.98         20%         £11.98          £11.98
    `)[0],
  ).toMatchObject({ quantity: '2', amount_base: '24.99', rate: '20', amount: '29.99', amount_total: '59.98' });
});

test('prices under "Unit" and taxes under "VAT", without quantities', () => {
  expect(
    rows(`
      Description               Unit       Net        VAT
      Front brake discs         62.00     148.80     29.76
      Brake pad set             41.25      82.50     16.50
      Oil filter                36.90      36.90      7.38
      Washer                    54.85      54.85     10.97
    `)[1],
  ).toMatchObject({ amount_base: '41.25', amount_total_base: '82.50', tax: '16.50' });
});

test('headings that OCR has read without spaces, and with a letter too many', () => {
  const page = pageOf(
    `
      Megnevezés          Menny.   Egys.   Nettóegységár   Nettóérték   ÁFA    ÁFAÉérték   Bruttóérték
      Klíma berendezés      2       db        189 900        379 800   2794     102 546      482 346
      Szerelés             11      óra          8 500         93 500    279      25 245      118 745
    `,
    { source: 'ocr' },
  );
  const [first] = analyze([page]).tables.line_items ?? [];
  expect(first?.cells.table_column_rate?.value).toBe('27');
  expect(first?.cells.table_column_tax?.value).toBe('102546');
  expect(first?.cells.table_column_amount_total_base?.value).toBe('379800');
});

test('delivery notes have no prices', () => {
  expect(
    rows(`
      Lieferschein LS-2409
      Pos   Artikel-Nr.    Bezeichnung                       Menge   ME
      10    KF-8820-W      Kabelkanal 60x40 weiß                40   m
      20    SD-2F          Steckdose zweifach                   25   St
    `),
  ).toEqual([
    { code: 'KF-8820-W', description: 'Kabelkanal 60x40 weiß', quantity: '40', uom: 'm' },
    { code: 'SD-2F', description: 'Steckdose zweifach', quantity: '25', uom: 'St' },
  ]);
});

test('sums without a known word, set in at the right, are no rows', () => {
  expect(
    rows(`
      Descrizione                                                              Importo
      Assistenza stragiudiziale                                               1.200,00
      Redazione diffida                                                         350,00
                                                      Compensi                1.550,00
                                                      CPA 4%                     62,00
    `).map((row) => row.description),
  ).toEqual(['Assistenza stragiudiziale', 'Redazione diffida']);
});

test('where no column is headed as the amounts of the rows, the last one is', () => {
  expect(
    rows(`
      Pcs    Description              Weight      Rate       Price per load
      4      Machine parts             3120      38.45           1199.64
      2      Steel brackets            1890      27.10            512.19
    `).map((row) => row.amount_total_base),
  ).toEqual(['1199.64', '512.19']);
});

test('rates and taxes whose headings were cut wrongly change places', () => {
  expect(
    rows(`
      Description         Qty     Price      Net       Tax      VAT
      Window                6    890.00   5340.00       8%   427.20
      Sill                  2    199.50    399.00      23%    91.77
    `).map((row) => [row.rate, row.tax]),
  ).toEqual([
    ['8', '427.20'],
    ['23', '91.77'],
  ]);
});

test('codes in a column without a heading, and numbers of rows under one heading with the codes', () => {
  const sold = ['Oak board', 'Transport'];
  const columns = `
                   Description          Qty      Price        Total
      K1094        Oak board              2      10.00        20.00
      M1947        Transport              3       5.00        15.00
  `;
  expect(rows(columns).map(({ code, description }) => [code, description])).toEqual([
    ['K1094', sold[0]],
    ['M1947', sold[1]],
  ]);
  const numbered = `
      Pos Art.Nr.      Bezeichnung          Menge      Preis        Betrag
      1 KR3M           Oak board                2      10,00         20,00
      2 SFK5           Transport                3       5,00         15,00
  `;
  expect(rows(numbered).map(({ code }) => code)).toEqual(['KR3M', 'SFK5']);
});

test('prices of energy have many decimals', () => {
  expect(
    rows(`
      Descrizione       Quantità       Prezzo unitario       UM       Prezzo totale
      Imposte             905,00            0,01249724      kWh               11,31
      Trasporto             4,90            4,99795918       kW               24,49
    `).map((row) => row.amount_base),
  ).toEqual(['0.01249724', '4.99795918']);
});

test('a price with tax that is the product of the other one and the quantity makes both gross', () => {
  expect(
    rows(`
      Artikel                   Aantal      Prijs per stuk      BTW      Prijs incl. BTW
      Leather sleeve                 2               99,99      21%               199,98
      Keyboard                       1               49,00      21%                49,00
    `).map((row) => [row.amount, row.amount_total]),
  ).toEqual([
    ['99.99', '199.98'],
    ['49.00', '49.00'],
  ]);
});

test('numbers set to the right stand under headings set to the left', () => {
  expect(
    rows(`
      Code     Description               Qty       Unit price                Net
      4766     Socket outlet                   4              7.29             29.16
      4803     Patch lead                      9             14.62            131.58
    `),
  ).toEqual([
    { code: '4766', description: 'Socket outlet', quantity: '4', amount_base: '7.29', amount_total_base: '29.16' },
    { code: '4803', description: 'Patch lead', quantity: '9', amount_base: '14.62', amount_total_base: '131.58' },
  ]);
});

test('the column of the net amounts with their tax is that of the gross amounts', () => {
  expect(
    rows(`
      Označení dodávky       Množství      J.cena       Cena     %DPH        DPH      Kč celkem
      Papír A4                     10       98,50     985,00      21%     206,85       1 191,85
      Kniha                         3      420,00   1 260,00       0%       0,00       1 260,00
    `).map((row) => row.amount_total),
  ).toEqual(['1191.85', '1260.00']);
});

test('a word before the one that says what a column is belongs to its heading', () => {
  expect(
    rows(`
      Rodzaj usługi              j.m.     Ilość     Cena netto     Wartość netto
      Dostawa wody               m3          14           5,12             71,68
      Odprowadzanie ścieków      m3          14           7,86            110,04
    `).map((row) => row.description),
  ).toEqual(['Dostawa wody', 'Odprowadzanie ścieków']);
});

test('weights and rates of exchange are neither quantities nor amounts', () => {
  expect(
    rows(`
      Description          Net wt. (kg)     Quantity (pcs)     Unit price (USD)     Total (USD)
      Ball valve DN25              84.0                120                14.20        1,704.00
      Gasket DN25                  12.5                250                 0.88          220.00
    `),
  ).toEqual([
    { description: 'Ball valve DN25', quantity: '120', amount_base: '14.20', amount_total_base: '1704.00' },
    { description: 'Gasket DN25', quantity: '250', amount_base: '0.88', amount_total_base: '220.00' },
  ]);
});

test('the numbers of the columns may begin with 0', () => {
  expect(
    rows(`
      Nr. crt     Denumirea serviciilor     U.M.     Cantitatea     Pret unitar     Valoarea
      0           1                         2        3              4               5
      1           Servicii contabile        luna     1              1800,00         1800,00
    `),
  ).toHaveLength(1);
});

describe('items without a head', () => {
  test('are the amounts of which the next total is the sum', () => {
    const receipt = `
      Frischmarkt Dollinger
      Vollmilch 3,5%            1,19 B
      Bauernbrot 750g           2,79 B
      2 Spülmittel              1,90 A
      SUMME EUR                 5,88
      BAR EUR                  10,00
    `;
    expect(rows(receipt)).toEqual([
      { description: 'Vollmilch 3,5%', amount_total: '1.19' },
      { description: 'Bauernbrot 750g', amount_total: '2.79' },
      { quantity: '2', description: 'Spülmittel', amount_total: '1.90' },
    ]);
  });

  test('are not the net amount and its tax', () => {
    expect(
      rows(`
      Gesamtbeitrag          1.000,00
      Versicherungsteuer       163,40
      Rechnungsbetrag        1.163,40
    `),
    ).toEqual([]);
    expect(
      rows(`
      Net                    100.00
      VAT                     20.00
      Total                  120.00
    `),
    ).toEqual([]);
  });
});

test('descriptions that begin above the numbers of their rows, with a line below them', () => {
  const page = pageOf(`
    Description                        Qty       Unit price       Amount
    Team plan
                                        14            18.00       252.00
    1 Mar to 31 Mar
    Additional storage
                                         3             5.50        16.50
    1 Mar to 31 Mar
  `);
  // The numbers stand in the middle of their cells.
  const words = page.words.map((word) => {
    const [left, top, right, bottom] = word.position;
    const up = /^[\d.]+$/.test(word.text) && left > 300 ? 0.9 * (bottom - top) : 0;
    return { ...word, position: [left, top - up, right, bottom - up] as const };
  });
  const { tables } = analyze([{ ...page, words }]);
  expect(tables.line_items?.map((row) => row.cells.table_column_description?.value)).toEqual([
    'Team plan 1 Mar to 31 Mar',
    'Additional storage 1 Mar to 31 Mar',
  ]);
});

test('a sentence over the table is no part of its head, and columns without headings are told by arithmetic', () => {
  expect(
    rows(`
      Fakturuji vám za dodané zboží či služby:
                                                              CENA ZA MJ          CELKEM
      18 hod      Správa sítě a serveru – leden                   750,00       13 500,00
      2  ks       Doména na rok                                   210,00          420,00
    `),
  ).toEqual([
    expect.objectContaining({ quantity: '18', uom: 'hod', description: 'Správa sítě a serveru – leden' }),
    expect.objectContaining({ quantity: '2', uom: 'ks', description: 'Doména na rok' }),
  ]);
});

test('what is headed as the price and makes the printed sum is the amount of the row', () => {
  const shop = (sum: string) =>
    rows(`
      Prodotto                            Quantità            Prezzo
      Miele di castagno 500 g                   24          216,00 €
      Confezione regalo                          6          105,00 €
                                         Subtotale          ${sum} €
    `)[0];
  expect(shop('321,00')).toMatchObject({ quantity: '24', amount_total_base: '216.00' });
  expect(shop('321,00')).not.toHaveProperty('amount_base');
  expect(shop('5.814,00')).toMatchObject({ quantity: '24', amount_base: '216.00' });
});

test('amounts of tax headed like amounts are not the net amounts', () => {
  expect(
    rows(`
      Item & Description           HSN/SAC        Qty      Rate        CGST             SGST            Amount
                                                                     %      Amt       %      Amt
      Cotton bath towel            63026090    200.00    185.00    2.5%   925.00    2.5%   925.00    37,000.00
      Kitchen towel set            63029190     80.00    142.50    2.5%   285.00    2.5%   285.00    11,400.00
    `),
  ).toEqual([
    expect.objectContaining({ quantity: '200.00', amount_base: '185.00', amount_total_base: '37000.00' }),
    expect.objectContaining({ quantity: '80.00', amount_base: '142.50', amount_total_base: '11400.00' }),
  ]);
});

test('charges and credits of a guest', () => {
  expect(
    rows(`
      Date          Text                       Charges         Credits
      06-05-25      Accommodation               149.00
      07-05-25      Dinner Restaurant            61.50
                    Total                       210.50
    `),
  ).toEqual([
    { description: 'Accommodation', amount_total_base: '149.00' },
    { description: 'Dinner Restaurant', amount_total_base: '61.50' },
  ]);
});

test('a remark over the head is no heading, codes with a hyphen are no amounts, and rounded numbers under a tax are rates', () => {
  expect(
    rows(`
      (attestation TVA reçue)
        Code          Désignation                 Un.    Qté       P.U. HT     Montant HT     TVA
      PLO-014         Dépose ancien chauffe-eau   U      1,00       145,00         145,00     10,0
      RAC-07          Raccordement hydraulique    ML     6,50        38,40         249,60      5,5
    `),
  ).toEqual([
    expect.objectContaining({ code: 'PLO-014', rate: '10.0', amount_total_base: '145.00' }),
    expect.objectContaining({ code: 'RAC-07', rate: '5.5', amount_total_base: '249.60' }),
  ]);
});

test('premiums of insurances and shares of costs', () => {
  expect(
    rows(`
      Vertragsteil            Nettobeitrag     Steuersatz     Versicherungsteuer     Beitrag
      Wohngebäude Feuer         118,40 €        13,20 %              15,63 €        134,03 €
      Hausrat Komfort           142,00 €        16,15 %              22,93 €        164,93 €
    `)[0],
  ).toMatchObject({
    description: 'Wohngebäude Feuer',
    amount_total_base: '118.40',
    rate: '13.20',
    amount_total: '134.03',
  });
  expect(
    rows(`
      Kostenart            Gesamtkosten     Umlageschlüssel     Ihr Anteil
      Grundsteuer             7.842,16       m2 Wohnfläche          417,60
      Müllabfuhr              4.380,72       Personen               213,69
    `)[0],
  ).toMatchObject({ description: 'Grundsteuer', amount_total: '417.60' });
});

test('rates and amounts under headings that are set tight', () => {
  expect(
    rows(`
      Beleg                          Anz.    Einh.      Einzel    USt Betrag
      ICE Aachen-Leipzig              1      Fahrt      104,58    7 % 104,58
      Mietwagen Leipzig-Aachen        2      Tage       100,00    19 % 200,00
    `),
  ).toEqual([
    expect.objectContaining({ amount_base: '104.58', rate: '7', amount_total_base: '104.58' }),
    expect.objectContaining({ amount_base: '100.00', rate: '19', amount_total_base: '200.00' }),
  ]);
});
