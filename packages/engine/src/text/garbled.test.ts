import { isGarbled } from './garbled';

const TEXTS = [
  'Rechnungsnummer Lieferdatum Umsatzsteuer Gesamtbetrag zahlbar innerhalb ohne Abzug Überweisung Strichmännchen Schriftstück',
  'Číslo faktury Datum splatnosti Základ daně Celkem úhradě Dodavatel Odběratel zákazník čtvrtletí zmrzlina vlk skrz prst čtvrt',
  'Számlaszám fizetési határidő végösszeg értékesítés szolgáltatás nyilvántartásba vett egyszerűsített adószám megjegyzés',
  'Faktura numer sprzedawca nabywca wartość netto stawka kwota razem zapłaty termin płatności przelew chrząszcz źdźbło',
  'Račun broj kupac izdavanja dospijeća plaćanja transakcijski količina cijena iznos osnovica ukupno usluge gorivo najam broda',
  'Fatura tarihi numarası açıklama miktar birim fiyat tutar matrah ödenecek vergi dairesi müşteri mahallesi caddesi',
  'Arve kuupäev maksetähtaeg ostja müüja kogus käibemaks tasuda nimetus ühik viitenumber selgitus viivis tänav',
];

test.each(TEXTS)('%.30s... can be read', (text) => {
  const words = text.split(' ');
  expect(isGarbled([...words, ...words, ...words])).toBe(false);
});

const shift = (text: string, by: number) =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)));

test('letters of a wrong map cannot', () => {
  const words = `${TEXTS[0]} invoice number amount payable within thirty days please transfer account stated below`
    .toLowerCase()
    .split(' ');
  expect(isGarbled([...words, ...words].map((word) => shift(word, 1)))).toBe(true);
  expect(isGarbled([...words, ...words].map((word) => word.replace(/[aeiou]/g, '$')))).toBe(true);
});

test('few words, numbers and other scripts are not judged', () => {
  expect(isGarbled(['xkcdq', 'zzrtv'])).toBe(false);
  expect(isGarbled(Array.from({ length: 60 }, (_, at) => `RX-${at}000`))).toBe(false);
  expect(isGarbled(Array.from({ length: 60 }, () => 'ΤΙΜΟΛΟΓΙΟ'))).toBe(false);
});
