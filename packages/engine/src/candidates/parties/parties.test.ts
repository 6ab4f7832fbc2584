import { analyze } from '../../analyze';
import { pageOf } from '../../page-of-text';
import { hasLegalForm, isPostal, isTitle, isTrade } from './party-forms';

/** Best values of the fields of typed pages. */
function read(...texts: string[]): Record<string, string> {
  const { fields } = analyze(texts.map((text, at) => pageOf(text, { number: at + 1 })));
  return Object.fromEntries(Object.entries(fields).map(([field, [best]]) => [field, best!.value]));
}

describe('parties', () => {
  test('under their labels, with their numbers', () => {
    const fields = read(`
      Dodavatel:                              Odběratel:
      Rybářství Zlatá Voda s.r.o.             Hotel Pod Věží a.s.
      Hrázní 218/4                            Náměstí Svornosti 9
      379 01 Třeboň                           381 01 Český Krumlov
      IČO: 27486133                           IČO: 61023949
      DIČ: CZ27486133                         DIČ: CZ61023949
    `);
    expect(fields).toMatchObject({
      sender_name: 'Rybářství Zlatá Voda s.r.o.',
      sender_address: 'Hrázní 218/4, 379 01 Třeboň',
      sender_ic: '27486133',
      sender_vat_id: 'CZ27486133',
      recipient_name: 'Hotel Pod Věží a.s.',
      recipient_address: 'Náměstí Svornosti 9, 381 01 Český Krumlov',
      recipient_ic: '61023949',
      recipient_vat_id: 'CZ61023949',
    });
  });

  test('in the window of a letter, and in the line above it', () => {
    const fields = read(`

      Obsthof Wiesenbach GmbH · Am Hang 12 · 88212 Ravensburg
      Kaufhaus Lindner KG
      Frau Petra Vogt
      Marktplatz 3
      70173 Stuttgart

      Rechnung Nr. 17
    `);
    expect(fields).toMatchObject({
      sender_name: 'Obsthof Wiesenbach GmbH',
      sender_address: 'Am Hang 12, 88212 Ravensburg',
      recipient_name: 'Kaufhaus Lindner KG',
      recipient_address: 'Marktplatz 3, 70173 Stuttgart',
    });
  });

  test('whose name is that of the website, rather than a company that is named beside it', () => {
    const fields = read(`
      Hafen Yoga                                    Partner der Nordlicht Sport GmbH
      Kaistraße 12
      24103 Kiel

      Rechnung Nr. 418

      Summe                   48,00 EUR
      Buchungen auf www.hafen-yoga.example
    `);
    expect(fields).toMatchObject({ sender_name: 'Hafen Yoga', sender_address: 'Kaistraße 12, 24103 Kiel' });
  });

  test('a company under the name of its shop', () => {
    const fields = read(`
                    Harbour Books
          Harbour Books Marina Mall
          Tidewater Retail Sdn Bhd (616227-D)
          Lot 12-03, First Floor, Marina Mall
          No. 4 Jalan Laut
          11900 Bayan Lepas

          Total                 12.00
          Visit www.harbourbooks.example
    `);
    expect(fields.sender_name).toBe('Tidewater Retail Sdn Bhd');
    expect(fields.sender_address).toBe('Lot 12-03, First Floor, Marina Mall, No. 4 Jalan Laut, 11900 Bayan Lepas');
  });

  test('by the number behind a name', () => {
    const fields = read(`
          3180301
              For staff: mei
          Farmasi Sentosa S/B(512345-U)
          23, Jalan Burung
          52100 Kuala Lumpur
    `);
    expect(fields.sender_name).toBe('Farmasi Sentosa S/B');
  });

  test('of a postcode at the end of its line, the place below', () => {
    const fields = read(`
          Kedai Papan Enterprise
          No. 3, Jalan PJU 1A
          Ara Damansara, 47301
          Petaling Jaya, Selangor

          Total                 12.00
    `);
    expect(fields.sender_address).toMatch(/47301,? Petaling Jaya, Selangor$/);
  });

  test('who ships goods and gets the bill for it is not its sender', () => {
    const fields = read(`
                         Blue Heron Freight LLC
                 4415 Harbor Blvd, Oakland, CA 94607

      BILL TO                  SHIPPER                  CONSIGNEE
      Canyon Foods Inc         Canyon Foods Inc         Delta Distribution
      900 Railroad Ave         900 Railroad Ave         77 Port Rd
      Las Cruces, NM 88001     Las Cruces, NM 88001     Houston, TX 77029
    `);
    expect(fields.sender_name).toBe('Blue Heron Freight LLC');
    expect(fields.recipient_name).toBe('Canyon Foods Inc');
  });

  test('a court with its register is no company', () => {
    const fields = read(`
                                              MORGENROTH
                                              Antriebe


      Rechnung Nr. 90441827


      Bahnhofstraße 44       AG Iserlohn HRB 4418
      58809 Neuenrade        Dr. Jens Wieting
    `);
    expect(fields.sender_name).not.toContain('Iserlohn');
  });

  test('a legal form beside a scrap is no name', () => {
    const fields = read(`
      Zimmerei Holzleitner
                                              a
                                              GmbH
                                              83313 Siegsdorf

      Rechnung Nr. 17
    `);
    expect(fields.sender_name).toContain('Holzleitner');
  });

  test('in a form with the labels in a column of their own', () => {
    const fields = read(`
      Käufer/Leistungsempfänger
      Nummer:            75969813
      Name:              Metallbau Leipzig GmbH
      Anschrift:         Pappelallee 15
                         12345 Leipzig
    `);
    expect(fields).toMatchObject({
      recipient_name: 'Metallbau Leipzig GmbH',
      recipient_address: 'Pappelallee 15, 12345 Leipzig',
      customer_id: '75969813',
    });
  });

  test('name, street and place in one line of the foot', () => {
    const fields = read(
      `Invoice number 17${'\n'.repeat(60)}Moulin Vert SARL - 12 chemin de l'Olive - 84340 Malaucène - France`,
    );
    expect(fields).toMatchObject({
      sender_name: 'Moulin Vert SARL',
      sender_address: "12 chemin de l'Olive, 84340 Malaucène, France",
    });
  });

  test('a place is no company', () => {
    expect(read('Seattle, WA 98109-5210, US').sender_name).not.toBe('Seattle');
  });

  test('in a form with labels for every line', () => {
    const fields = read(`
      Cedente/prestatore (fornitore)         Cessionario/committente (cliente)
      Denominazione: ALFA SRL                Denominazione: BETA SPA
      Indirizzo: VIALE ROMA 543              Indirizzo: VIA TORINO 38
      Comune: SASSARI Provincia: SS          Comune: ROMA Provincia: RM
      Cap: 07100 Nazione: IT                 Cap: 00145 Nazione: IT
    `);
    expect(fields).toMatchObject({ sender_name: 'ALFA SRL', recipient_name: 'BETA SPA' });
    expect(fields.recipient_address).toContain('VIA TORINO 38');
  });

  test('an address for delivery is not that of the recipient', () => {
    const fields = read(`
      Bill to                    Ship to
      Acme Ltd                   Acme Warehouse
      1 High Street              9 Dock Road
      Leeds LS1 4AB              Hull HU1 2CD
    `);
    expect(fields).toMatchObject({ recipient_name: 'Acme Ltd', recipient_delivery_name: 'Acme Warehouse' });
  });
});

describe('senders', () => {
  test('legal forms of insurers', () => {
    const fields = read(`
      Wir beraten Sie gern
      Versicherungsverein Musterstadt a.G.
      Hauptstr. 12
      12345 Musterstadt

      Beitragsrechnung Nr. 118
    `);
    expect(fields.sender_name).toBe('Versicherungsverein Musterstadt a.G.');
  });

  test('an address in a sentence, with other sentences around it', () => {
    const fields = read(`
      Invoice no. 118                           Date 3 May 2024
      Total                                     £120.00

      Brightly Limited. Registered office: Castle Wharf, 2 Canal Road, Leicester LE1 4XT. Registered in England.
    `);
    expect(fields.sender_address).toBe('Castle Wharf, 2 Canal Road, Leicester LE1 4XT');
  });

  test('a company in the rows of the table is not the sender', () => {
    const fields = read(`
      Studio Benedetti
      Via San Vitale 44 - 40125 Bologna

      Parcella n. 18/2025 del 17/04/2025
      Descrizione                                                  Importo
      Recupero crediti verso Tecnoforni S.n.c.                    1.200,00
      Redazione diffida                                             350,00
      Totale                                                      1.550,00
    `);
    expect(fields.sender_name).toBe('Studio Benedetti');
  });

  test('the capital of a company is no part of its name or address', () => {
    const fields = read(`
      Cabinet Mercœur Conseil
      SAS au capital de 15 000 €
      91 cours Vitton
      69006 Lyon

      Facture 2025-019
    `);
    expect(fields).toMatchObject({
      sender_name: 'Cabinet Mercœur Conseil',
      sender_address: '91 cours Vitton, 69006 Lyon',
    });
  });

  test('the address in the foot of the last page', () => {
    const first = `
      Norrland Byggvaror AB                     Fakturanummer 77120
      Fakturadatum 2025-02-28
    `;
    const last = `
      Att betala                                1 250,00
      Norrland Byggvaror AB · Hamngatan 11 · 891 33 Örnsköldsvik · Org.nr 556318-4407
    `;
    expect(read(first, last).sender_address).toBe('Hamngatan 11, 891 33 Örnsköldsvik');
  });
});

describe('senders in sentences and lines', () => {
  test('a seat that a sentence names, behind the number of a register', () => {
    const fields = read(`
      Energy bill

      Brightmoor Energy Supply Ltd. Registered in England no. 07714420. Registered office: 8 Quay Street, Hull HU1 2PN.
    `);
    expect(fields).toMatchObject({
      sender_name: 'Brightmoor Energy Supply Ltd',
      sender_address: '8 Quay Street, Hull HU1 2PN',
    });
  });

  test('dashes part an address from tax numbers', () => {
    const fields = read(`
      Studio Tecnico Bonfanti S.r.l.
      Via dei Mille 45 – 24121 Bergamo – P.IVA 03782886869 – info@bonfanti.example
    `);
    expect(fields.sender_address).toBe('Via dei Mille 45, 24121 Bergamo');
  });

  test('the number of a register is not that of a place', () => {
    const fields = read(`
      Hotel Seeblick KG
      Uferpromenade 17 · 88662 Überlingen

      Hotel Seeblick KG · Sitz Überlingen · HRA 581204 Freiburg
    `);
    expect(fields.sender_address).toBe('Uferpromenade 17, 88662 Überlingen');
  });

  test('a name over its seat in the foot', () => {
    const fields = read(`
      Facture n° 2022089083



                                    NETPRESSE
      Siège social : 16 rue Mollien - 92100 BOULOGNE – Tél : 01 71 17 61 67
    `);
    expect(fields).toMatchObject({ sender_name: 'NETPRESSE', sender_address: '16 rue Mollien, 92100 BOULOGNE' });
  });
});

describe('two addresses', () => {
  test('that of the letterhead, whose first word it begins with, is the sender', () => {
    const page = pageOf(`


    Vitranet SRL
    Chaussée de Mons 418                            Centre Dentaire du Parc ASBL
    7060 Soignies                                   Boulevard de la Sauvenière 60
                                                    4000 Liège
    `);
    const words = [{ text: 'Vitranet', position: [36, 0, 200, 34] as const, line: -1, confidence: 1 }, ...page.words];
    const { fields } = analyze([{ ...page, words }]);
    expect(fields).toMatchObject({
      sender_name: [expect.objectContaining({ value: expect.stringContaining('Vitranet') })],
      recipient_name: [expect.objectContaining({ value: 'Centre Dentaire du Parc ASBL' })],
    });
  });

  test('the one that names the guest is the recipient', () => {
    const fields = read(`${'\n'.repeat(8)}
                                                                Alpenhof Gasteiner
                                                                Kirchplatz 6
                                                                5630 Bad Hofgastein
      Kröner Maschinenhandel GmbH                               +43 6432 70 11 55
      z.H. Herrn Falk Kröner
      Industriestraße 40
      4600 Wels

      Gast          Falk Kröner
    `);
    expect(fields).toMatchObject({
      sender_name: 'Alpenhof Gasteiner',
      recipient_name: 'Kröner Maschinenhandel GmbH',
      recipient_address: 'Industriestraße 40, 4600 Wels',
    });
  });
});

test('a place with its postcode behind a dash is no company', () => {
  const fields = read(`
    VAIGAI LIGHTING SOLUTIONS
    14/2, Bypass Road, Ellis Nagar
    Madurai - 625016, Tamil Nadu
  `);
  expect(fields.sender_name).toBe('VAIGAI LIGHTING SOLUTIONS');
});

test('the date over an address is no name', () => {
  const fields = read(`
    Bill to
    March 4, 2025
    Corbin Tool & Die, Inc.
    8820 Peach Street
    Erie, PA 16509
  `);
  expect(fields.recipient_name).toBe('Corbin Tool & Die, Inc.');
});

test('a house with a name, over a postcode alone', () => {
  const fields = read(`
    To: Calderbrook Construction Ltd
    The Old Goods Yard
    Station Approach
    Hebden Bridge
    HX7 6JE
  `);
  expect(fields.recipient_address).toBe('The Old Goods Yard, Station Approach, Hebden Bridge, HX7 6JE');
});

test('a Canadian postcode alone, under its place', () => {
  const fields = read(`
    To: Gabriola Ferry Society
    Commons Hall
    Gabriola
    V0R 1X0
  `);
  expect(fields.recipient_address).toBe('Commons Hall, Gabriola, V0R 1X0');
});

test('a town with its British postcode, under a house and a village', () => {
  const fields = read(`
    To: The Trustees of the Thurne Charity
    Staithe House
    Potter Heigham
    Great Yarmouth NR29 5JD
  `);
  expect(fields.recipient_address).toBe('Staithe House, Potter Heigham, Great Yarmouth NR29 5JD');
});

test('of two addresses, the one with the BIC is the sender', () => {
  const fields = read(`${'\n'.repeat(6)}
    Atelier du Lac                                  Garage de la Gare
    Chaussée de Mons 418                            Boulevard de la Sauvenière 60
    7060 Soignies                                   4000 Liège
    BIC GKCCBEBB
  `);
  expect(fields).toMatchObject({ sender_name: 'Atelier du Lac', recipient_name: 'Garage de la Gare' });
});

test('what is written far below an address does not make it that of the sender', () => {
  const fields = read(`
    Halcyon Legal LLP                                       3 Chapel Street
                                                            Norwich
                                                            NR2 1EX
                                                            VAT Reg GB 980 7806 84


    The Trustees of the Thurne Charity
    Staithe House
    Great Yarmouth NR29 5JD

    Our ref          AKD/THU
    Invoice          118844
    Tax point        31 March 2025
    Land at Staithe Road
    Professional charges
    Paid into GB29 NWBK 6016 1331 9268 19, IBAN of Ms Doe
    Questions to Tel. +44 1603 441882
  `);
  expect(fields).toMatchObject({
    sender_address: '3 Chapel Street, Norwich, NR2 1EX',
    recipient_name: 'The Trustees of the Thurne Charity',
  });
});

test('an address without a name is not that of the recipient', () => {
  const fields = read(`${'\n'.repeat(6)}
    Halcyon Legal LLP

                                                            3 Chapel Street
                                                            Norwich
                                                            NR2 1EX
  `);
  expect(fields).not.toHaveProperty('recipient_name');
});

test('a block without a label that only looks like a recipient is one, where nothing says it outright', () => {
  const fields = read(`
    HALCYON LEGAL LLP
    12 Tombland, Norwich NR3 1HF
    VAT no. GB 980 7806 84

    Marchbank Joinery
    Unit 7, Station Road, Leeds LS1 4AP

    Invoice no. 20417                  14 March 2024
  `);
  expect(fields.recipient_name).toBe('Marchbank Joinery');
  expect(fields.recipient_address).toBe('Unit 7, Station Road, Leeds LS1 4AP');
  expect(fields.sender_name).toBe('HALCYON LEGAL LLP');
});

test('under its label the name of a seller goes on to the legal form in the next line', () => {
  const fields = read(`
    Rechnung Nr. 20417                 14.03.2024

    Verkäufer:
    Nordlicht
    Versicherungsverein Kiel a.G.
    Holtenauer Straße 12
    24105 Kiel
  `);
  expect(fields.sender_name).toBe('Nordlicht Versicherungsverein Kiel a.G.');
  expect(fields.sender_address).toBe('Holtenauer Straße 12, 24105 Kiel');
});

test('a name that ends with "and" goes on in the next line, and an address begins with its unit', () => {
  const fields = read(`
    GREENLEAF NURSERY AND
    LANDSCAPE SDN. BHD.
    A-G-3, PUSAT PERDAGANGAN SERI KEMBANGAN
    JALAN PSK 3, 43300 SERI KEMBANGAN
    TEL: 03-89428811
  `);
  expect(fields.sender_name).toBe('GREENLEAF NURSERY AND LANDSCAPE SDN. BHD.');
  expect(fields.sender_address).toBe('A-G-3, PUSAT PERDAGANGAN SERI KEMBANGAN, JALAN PSK 3, 43300 SERI KEMBANGAN');
});

test("the sender's VAT number over his street is no part of his address", () => {
  const fields = read(`
    Marchbank & Hale Limited            VAT no. GB 980 7806 84
                                        27 Corn Exchange
                                        Liverpool L2 7QS
  `);
  expect(fields.sender_address).toBe('27 Corn Exchange, Liverpool L2 7QS');
});

test.each([
  ['KOOPMANS', 'Straatmakersbedrijf Koopmans', ''],
  ['Seehof am Weissensee', '', 'Seehof Brunnsteiner GmbH · FN 287114d'],
])('the full name of %s stands over its address, or in the foot', (short, over, foot) => {
  const page = pageOf(`


    ${over}
    Veenweg 3
    9481 TJ Vries
    ${'\n'.repeat(50)}
    ${foot}
  `);
  const words = short.split(' ').map((text, at) => ({
    text,
    position: [700 + at * 120, 0, 790 + at * 120, 34] as const,
    line: -1,
    confidence: 1,
  }));
  const { fields } = analyze([{ ...page, words: [...words, ...page.words] }]);
  expect(fields.sender_name?.[0]?.value).toBe(over || 'Seehof Brunnsteiner GmbH');
});

test('the box that cheques are sent to is not the address of the sender', () => {
  const fields = read(`
    Prairie Fluid Power, Inc.                      Bill to:
    2218 W. Industrial Blvd                        Harvest Equipment Co.
    Salina, KS 67401                               1190 N Main Street
                                                   McPherson, KS 67460

    Invoice total    318.00

    REMIT TO: Prairie Fluid Power, Inc., PO Box 88417, Kansas City, MO 64188
  `);
  expect(fields.sender_address).toBe('2218 W. Industrial Blvd, Salina, KS 67401');
});

test('a trade with a number over an address in one line is no part of it', () => {
  const fields = read(`
    P. J. Rudge & Daughter Ltd
    Gas Safe 541188
    The Old Dairy, Chapel Lane, Tideswell SK17 8NR
  `);
  expect(fields.sender_address).toBe('The Old Dairy, Chapel Lane, Tideswell SK17 8NR');
});

test('the number of the page under the word for the client is no name', () => {
  const fields = read(`
    Cliente          430.00418
    Página           1 de 1

    Transportes Aljarafe, S.L.
    Calle Artesanía 5
    41500 Alcalá de Guadaíra
  `);
  expect(fields.recipient_name).not.toBe('1 de 1');
});

test.each(['Ateliers Bonnefoy EARL', 'Wohnbau Elbaue eG', 'Isoterm SIA', 'Putki ja Lämpö Ky', 'Vikhandel ek. för.'])(
  'the legal form of %s',
  (name) => {
    expect(hasLegalForm(name)).toBe(true);
  },
);

test('a trade with a legal form is a name', () => {
  expect([isTrade('Hotel Elbaue'), isTrade('Hotel Elbaue eG')]).toEqual([true, false]);
});

test('words that are legal forms in other letters only', () => {
  expect(['Earl Street', 'Dac Cuong', 'eG'.toUpperCase()].filter((text) => hasLegalForm(text))).toEqual([]);
});

test('words of respect head the name of the recipient', () => {
  const fields = read(`
    Messrs. Fjordland Maskin AS              Kitamura Bearing Works Co., Ltd.
    Industriveien 44                         3-14-7 Higashi-Nakajima
    6018 Ålesund                             Osaka 533-0033
  `);
  expect(fields).toMatchObject({
    recipient_name: 'Fjordland Maskin AS',
    sender_name: 'Kitamura Bearing Works Co., Ltd.',
  });
});

test('a box over the window of a letter gives way to the street in its foot', () => {
  const fields = read(`

    Hebmann Aufzüge · Postfach 11 88 · 34011 Kassel
    Tischlerei Ebner
    Dorfplatz 2
    34117 Kassel
    ${'\n'.repeat(55)}
    Hebmann Aufzüge GmbH & Co. KG
    Lilienthalstraße 118
    34123 Kassel
  `);
  expect(fields).toMatchObject({
    sender_name: 'Hebmann Aufzüge GmbH & Co. KG',
    sender_address: 'Lilienthalstraße 118, 34123 Kassel',
    recipient_name: 'Tischlerei Ebner',
  });
});

test('the box for cheques gives way to the address under the longer name of the letterhead', () => {
  const fields = read(`
                         BOXWORKS SUPPLY CO
                 5500 Joliet St Denver, CO 80239

    Bill To                                  Remit To
    Juniper & Rye Mercantile                 Boxworks Supply
    412 Larimer Ave Ste 200                  PO Box 77120
    Fort Collins CO 80521                    Denver CO 80217
  `);
  expect(fields.sender_address).toBe('5500 Joliet St Denver, CO 80239');
});

test('the number of a customer right over the name is not in the way', () => {
  const fields = read(`
    Corrib Timber Ltd
    Tuam Road
    Galway
    H91 K7RC



    Account: FLY002                          Deliver to: Site 14, Cappagh Park, Galway
    Flynn Family Homes
    FAO Siobhán
    Knocknacarra Cross
    Galway
    H91 T2XW
  `);
  expect(fields).toMatchObject({
    recipient_name: 'Flynn Family Homes',
    recipient_address: 'Knocknacarra Cross, Galway, H91 T2XW',
  });
});

test('a South African postcode under its place', () => {
  const fields = read(`
    Karoo Water Solutions CC







    Valley Farm (Pty) Ltd
    63 Pearston Road
    Graaff-Reinet
    6280
  `);
  expect(fields.recipient_address).toBe('63 Pearston Road, Graaff-Reinet, 6280');
});

test('a recipient at the top, under the title, of a sender whose address is in the foot', () => {
  const fields = read(`
    Storsjö Sotarna                                        Faktura
    Din skorstensfejare
                                                           Sven-Olof Hägglund
                                                           Ekorrstigen 7 lgh 1102
                                                           831 44 Östersund
    ${'\n'.repeat(58)}
    Storsjö Sotarna AB
    Fyrvallavägen 4
    831 72 Östersund
  `);
  expect(fields).toMatchObject({
    recipient_name: 'Sven-Olof Hägglund',
    recipient_address: 'Ekorrstigen 7 lgh 1102, 831 44 Östersund',
    sender_name: 'Storsjö Sotarna AB',
  });
});

test('a house with a name over a street without a number', () => {
  const fields = read(`
    Penrose Heating
    The Old Chapel
    Trewarne Lane
    Wadebridge
    PL27 6BQ
  `);
  expect(fields.sender_address).toBe('The Old Chapel, Trewarne Lane, Wadebridge, PL27 6BQ');
});

test('the heading of the other party ends a party, and its numbers are its own', () => {
  const fields = read(`
                            PRESTADOR DE SERVIÇOS
    CPF/CNPJ: 18.844.271/0001-99 Inscrição Municipal: 17 02 0441882-4
    Nome/Razão Social: ARAUCÁRIA SISTEMAS LTDA
    Endereço: RUA MARECHAL DEODORO, 1188, SALA 402 - CENTRO - CEP: 80010-010
    Município: CURITIBA UF: PR
                            TOMADOR DE SERVIÇOS
    Nome/Razão Social: COOPERATIVA VALE DO IGUAÇU
    CPF/CNPJ: 77.441.882/0001-55 Inscrição Municipal: ----
    Endereço: AV MANOEL RIBAS, 44 - SÃO BASÍLIO - CEP: 84600-000
  `);
  expect([fields.sender_vat_id, fields.recipient_vat_id].map((id) => id?.replace(/\D/g, ''))).toEqual([
    '18844271000199',
    '77441882000155',
  ]);
});

test.each([
  ['Postal Address', 'P O Box 418'],
  ['Physical Address', '18 Caledon Street'],
])('%s is no name', (label, line) => {
  const fields = read(`
    Karoo Water Solutions CC








    ${label}
    ${line}
    Graaff-Reinet
    6280
  `);
  expect(fields.recipient_name).toBeUndefined();
});

test('of two addresses, the one whose name a website elsewhere on the page has is the sender', () => {
  const fields = read(`




    Grünwerk Gartenbau                              Tischlerei Ebner
    Am Anger 4                                      Dorfplatz 2
    4020 Linz                                       4153 Peilstein
    ${'\n'.repeat(25)}
    www.grunwerk-gartenbau.example
  `);
  expect(fields).toMatchObject({ sender_name: 'Grünwerk Gartenbau', recipient_name: 'Tischlerei Ebner' });
});

test('the words of a name that its logo joins', () => {
  const fields = read(`
    netegesblau

    ${'\n'.repeat(60)}
    Neteges Blau Baix, S.L. · NIF B64418825 · Inscrita en el Registro Mercantil de Barcelona, tomo 418
  `);
  expect(fields.sender_name).toBe('Neteges Blau Baix, S.L.');
});

test('words of respect that begin a letter head no name', () => {
  const fields = read(`
    Ege Enerji A.Ş.



    Sayın Müşterimiz,
    Faturanız ektedir. Son ödeme 18.03.2025
  `);
  expect(fields.recipient_name).toBeUndefined();
});

test('the same label in the block beside is not its value', () => {
  const fields = read(`
    Rechnungsempfänger:                     Rechnungssteller:
    Reitschule Am Deich                     Funkwerk Lose GmbH
    Deichweg 14                             Torgasse 177
    69120 Heidelberg                        10115 Berlin
    USt-IdNr.:                              USt-IdNr.:
    DE201884714                             DE319225589
  `);
  expect(fields).toMatchObject({
    sender_name: 'Funkwerk Lose GmbH',
    sender_vat_id: 'DE319225589',
    recipient_name: 'Reitschule Am Deich',
    recipient_vat_id: 'DE201884714',
  });
});

test('a tax number alone in its line is neither name nor address, and needs no label where its check character holds', () => {
  const fields = read(`
    SAHYADRI LAMPS
    Plot 9, MIDC Road, Pune, MAHARASHTRA, 411026
    27AAOFO3310H1ZB

    Bill To
    Konkan Interiors
    Billing Address
    118 Baner Road, Pune, Maharashtra, 411045
    27AAFFK6612R1ZS
  `);
  expect(fields).toMatchObject({
    sender_vat_id: '27AAOFO3310H1ZB',
    recipient_name: 'Konkan Interiors',
    recipient_address: '118 Baner Road, Pune, Maharashtra, 411045',
    recipient_vat_id: '27AAFFK6612R1ZS',
  });
});

test('"Payée" heads no payee', () => {
  const fields = read(`
    Facture FR-00931
    Statut: Payée
    Payée:
    Date

    Émetteur:
    Imprimerie Vaillant SAS
    44 quai des Forges
    33800 Bordeaux
  `);
  expect(fields.sender_name).toBe('Imprimerie Vaillant SAS');
});

test('a title over a name is no part of it, nor is the place of a logo', () => {
  const fields = read(`
    Cash Receipt
    Lakeside Cycles

    Date: April 4, 2025        Receipt No: NC-7751
    Total: 122.31
  `);
  expect(fields.sender_name).toBe('Lakeside Cycles');
  expect(isTitle('Company Logo')).toBe(true);
  expect(isTitle('Logo Design Studio')).toBe(false);
});

test('a street in a scan that was read in another language', () => {
  const page = pageOf(`
    Bill to:
    Almhof Catering GmbH
    HauptstraBe 22
    87435 Kempten
  `);
  const { fields } = analyze([{ ...page, source: 'ocr' }]);
  expect(fields.recipient_address![0]!.value).toBe('Hauptstraße 22, 87435 Kempten');
});

test.each([
  ['Fattura emessa da', 'Fattura intestata a'],
  ['Facture émise par', 'Facture établie au nom de'],
  ['Factura emitida por', 'A nombre de'],
  ['Gefactureerd door', 'Opgesteld voor'],
  ['Invoiced by', 'Invoice issued to'],
])('parties under "%s" and "%s"', (sender, recipient) => {
  const fields = read(`
    ${recipient}:
    Villa Blanca
    Via Roma 15
    50123 Firenze

    ${sender}:
    Atelier Nord
    Via Milano 8
    20121 Milano
  `);
  expect(fields).toMatchObject({ sender_name: 'Atelier Nord', recipient_name: 'Villa Blanca' });
});

test.each(['Ajmer, RAJASTHAN, 305001', 'Thrissur, Kerala - 680 001', 'Kolkata, West Bengal 700016'])(
  'the Indian place %s',
  (place) => {
    expect(isPostal(place)).toBe(true);
  },
);

test('the owner of a business is no part of its name, and a sentence is no sender', () => {
  expect(
    read(`
      Malerbetrieb Ostermann                     Rechnung 2025-118
      Inhaberin Petra Ostermann e.K.
      Hafenweg 12
      28195 Bremen

      Wir danken für Ihren Auftrag und berechnen wie folgt.
    `),
  ).toMatchObject({ sender_name: 'Malerbetrieb Ostermann' });
  expect(read('Merci de régler cette facture avant le 14 mars 2025.').sender_name).toBeUndefined();
});

test('for whom it is in a company is no part of its name, and a site is no recipient', () => {
  expect(
    read(`
      Factuur 2025-1406

      Aan: Kinderopvang De Bosuil B.V., t.a.v. de administratie, Kerkweg 11, 3732 EB De Bilt
    `),
  ).toMatchObject({ recipient_name: 'Kinderopvang De Bosuil B.V.', recipient_address: 'Kerkweg 11, 3732 EB De Bilt' });
  expect(
    read(`
      SARL Eau et Flamme Nantaise                FACTURE N° FA00002319
      31 rue de la Carterie
      44000 Nantes

                                                 Monsieur et Madame LE GUENNEC
                                                 14 avenue de la Gare de Chantenay

                                                 44100 NANTES

      Chantier : remplacement du chauffe-eau
    `),
  ).toMatchObject({
    recipient_name: 'Monsieur et Madame LE GUENNEC',
    recipient_address: '14 avenue de la Gare de Chantenay, 44100 NANTES',
  });
});

test('an address of the mail, the hours of an office, a site and a guest are no parties', () => {
  expect(
    read(`
      Facture

      Classeo SAS                         Facturer à
      129 rue Servient                    Cabinet Delorme Expertise
      69003 Lyon                          27 place Grenette
      France                              38000 Grenoble
      facturation@classeo.example         France
      FR TVA FR28849513072                FR TVA FR00403882194
    `),
  ).toMatchObject({
    sender_name: 'Classeo SAS',
    sender_vat_id: 'FR28849513072',
    recipient_name: 'Cabinet Delorme Expertise',
    recipient_vat_id: 'FR00403882194',
  });
  expect(
    read(`
      CITY OF ALDERBROOK                                       Customer Service (509) 555-0148
      Department of Public Utilities                           Mon–Fri 8am–5pm
      1420 Riverside Ave, Spokane Valley, WA 99206

      Account Number:   0038-5521-02
    `).sender_name,
  ).not.toContain('8am');
  expect(
    read(`
      Hotel Zum Alten Zollhaus
      Familie Steinhauser KG · Donaulände 16 · 94032 Passau

      Brandl Messtechnik GmbH                           Rechnung: 58.107
      Herrn Xaver Brandl                                Datum: 14.05.2025
      Siemensstraße 20                                  Gast: Brandl, Xaver
      93055 Regensburg
    `).recipient_name,
  ).toBe('Brandl Messtechnik GmbH');
});

test('"Am" in a street is no hour', () => {
  expect(
    read(`
      Rechnung 118                  14.03.2024

      Verkäufer:
      Kontor Elbe GmbH
      Halle 3 Am Hafen 12
      21079 Hamburg
    `).sender_address,
  ).toBe('Halle 3 Am Hafen 12, 21079 Hamburg');
});

test('words for "to" over a name are no part of it', () => {
  expect(
    read(`
      Dr.-Ing. Friederike Hollender
      Oppenhoffallee 88 · 52066 Aachen

      An die
      Sächsische Kranbau AG
      Torgauer Straße 233
      04347 Leipzig

      Rechnung Nr. 2025-R17                  Aachen, den 11. Juni 2025
    `).recipient_name,
  ).toBe('Sächsische Kranbau AG');
});

test('the company of a brand', () => {
  expect(
    read(`
      Rechnung 118                  14.03.2024

      tool24 ist eine Marke der Kontor Elbe GmbH, Am Hafen 12, 21079 Hamburg
    `).sender_name,
  ).toBe('Kontor Elbe GmbH');
});

test('an address ends where the numbers of the company begin', () => {
  expect(
    read(`
      Faktura 1042                  2024-04-12

      Strandgren Konsult AB, Kyrkogatan 5B, 722 15 Västerås Org.nr 559018-4472
    `).sender_address,
  ).toBe('Kyrkogatan 5B, 722 15 Västerås');
});

test('what stands behind a number does not say whose it is', () => {
  const fields = read(`
    Louças do Ave, Lda.
    Rua da Indústria, 220
    4770-160 Joane
    NIF 502 884 191 · Capital social 25.000,00 € · C.R.C. V. N. Famalicão

    Exmo.(s) Sr.(s)
    Construções Minho Sul, S.A.
    Av. da Liberdade, 615
    4710-251 Braga
    NIF 508 112 337
  `);
  expect(fields).toMatchObject({ sender_vat_id: '502884191', recipient_vat_id: '508112337' });
});

test('the tax number of a Slovak company is not that of the VAT', () => {
  const fields = read(`
    Odberateľ                               Dodávateľ
    Spoločenstvo vlastníkov                 Liftex Servis, spol. s r.o.
    Kvetná 8                                Priemyselná 14/A
    917 01 Trnava                           949 01 Nitra
    DIČ 2021904417                          DIČ 2020140812
                                            IČ DPH SK2020140812
  `);
  expect(fields).toMatchObject({ recipient_dic: '2021904417', sender_vat_id: 'SK2020140812' });
  expect(fields.recipient_vat_id).toBeUndefined();
});

test('numbers under an address that is set to the right edge', () => {
  const fields = read(`
    To:                                                          From:
    Brightwater Events Ltd                        Taalbureau Oosterhof
    14 Corn Exchange Street                              Lijnbaan 45 C
    Bristol BS1 1JQ                                  3012 EL Rotterdam
    VAT: GB319884205          VAT NL001992384B33 / KvK-nummer 24419087
  `);
  expect(fields).toMatchObject({ sender_vat_id: 'NL001992384B33', recipient_vat_id: 'GB319884205' });
});

test('a company whose name has a word for telephones', () => {
  const { fields } = analyze([
    pageOf(
      `
            SINARCOM MOBILE SDN BHD
          LOT S-33A, GIANT HYPERMARKET,
             47100 PUCHONG, SELANGOR
        TAX INVOICE
        07/09/2017
        Total        128.50
      `,
      { source: 'ocr' },
    ),
  ]);
  expect(fields.sender_name?.[0]?.value).toBe('SINARCOM MOBILE SDN BHD');
});

test('a form with its labels in cells of their own', () => {
  const fields = read(`
    FACTURA F-2024/0091           19/02/2024

    DATOS DEL CLIENTE
    Nombre        Bodegas Santo Cristo SCL     NIF            F50018442
    Domicilio     Ctra. Tabuenca, s/n          Población      50570 Ainzón (Zaragoza)
    Nº cliente    0877                         Forma de pago  Recibo a 60 días

    Concepto                Unidades    Precio    Subtotal
    Impresión offset        1000        0,74      740,00
  `);
  expect(fields).toMatchObject({
    recipient_name: 'Bodegas Santo Cristo SCL',
    recipient_address: 'Ctra. Tabuenca, s/n, 50570 Ainzón (Zaragoza)',
    recipient_vat_id: 'F50018442',
  });
});

describe('receipts of shops', () => {
  const receipt = (text: string) => {
    const { fields } = analyze([pageOf(text, { source: 'ocr' })]);
    return [fields.sender_name?.[0]?.value, fields.sender_address?.[0]?.value];
  };

  test('the number of a company is no part of its name or its address', () => {
    expect(
      receipt(`
            THREE STOOGES BISTRO (KT0152384-W)
                 CO REG: 546316-T
        2-G, PUSAT PERDAGANGAN SRI KINTA
         30100 IPOH, PERAK DARUL RIDZUAN
        TAX INVOICE
        Total        82.40
      `),
    ).toEqual(['THREE STOOGES BISTRO', '2-G, PUSAT PERDAGANGAN SRI KINTA, 30100 IPOH, PERAK DARUL RIDZUAN']);
  });

  test('a name goes on behind "and" and before its legal form', () => {
    const under = `
              NO 53 JALAN BESAR,
           45600 BATANG BERJUNTAI
        CASH BILL
        Total        82.40
      `;
    expect(receipt(`\n          HOME MASTER HARDWARE &\n                ELECTRICAL${under}`)[0]).toBe(
      'HOME MASTER HARDWARE & ELECTRICAL',
    );
    expect(receipt(`\n          AIK HUAT HARDWARE (SETIA) SDN\n                   BHD${under}`)[0]).toBe(
      'AIK HUAT HARDWARE (SETIA) SDN BHD',
    );
  });

  test('a short name over the whole one, or a line of legal forms under it', () => {
    const under = `
             NO.31, PUSAT BANDAR 1,
             52100 KUALA LUMPUR
        CASH BILL
        Total        82.40
      `;
    expect(receipt(`\n                 YHL PAINT\n      YHL PAINT & CONSTRUCTION MATERIALS${under}`)).toEqual([
      'YHL PAINT & CONSTRUCTION MATERIALS',
      'NO.31, PUSAT BANDAR 1, 52100 KUALA LUMPUR',
    ]);
    expect(receipt(`\n         ONE ONE THREE SEAFOOD\n          RESTAURANT SDN BHD${under}`)[0]).toBe(
      'ONE ONE THREE SEAFOOD RESTAURANT SDN BHD',
    );
  });

  test('the number of a tax between name and address ends nothing', () => {
    expect(
      receipt(`
        ENW Hardware Centre Sdn. Bhd.
        GST Reg. No. 000155453440
        No: G3, Blk G, Jln PJU 1A/3,
        47301 Petaling Jaya
        Tax Invoice
      `)[1],
    ).toBe('No: G3, Blk G, Jln PJU 1A/3, 47301 Petaling Jaya');
  });
});
