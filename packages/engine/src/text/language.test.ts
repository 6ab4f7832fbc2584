import { guessLanguage, languageValue } from './language';

test.each([
  ['Invoice date, please pay the amount due to our bank account', 'eng'],
  ['Rechnung: wir berechnen Ihnen für die Lieferung den Betrag zzgl. MwSt.', 'deu'],
  ['Facture, montant total à payer par virement, TVA et échéance', 'fra'],
  ['Faktura - daňový doklad, datum splatnosti, celkem k úhradě bez DPH', 'ces'],
  ['Faktúra, dátum vystavenia, dodávateľ a odberateľ, spolu na úhradu', 'slk'],
  ['Faktura, sprzedawca i nabywca, termin płatności, razem do zapłaty', 'pol'],
  ['Fattura, imponibile e imposta, pagamento con bonifico, scadenza', 'ita'],
  ['Factura, fecha de vencimiento, importe y base imponible', 'spa'],
  ['Factuur, omschrijving, aantal, bedrag excl. btw, te betalen', 'nld'],
])('%s', (text, code) => {
  expect(guessLanguage(text.split(' '))?.code).toBe(code);
});

test('numbers have no language', () => {
  expect(guessLanguage(['123', '45,00', '€'])).toBeUndefined();
});

test('the field uses the names of the value list', () => {
  expect(['eng', 'ita', 'spa', 'nld'].map(languageValue)).toEqual(['eng', 'ital', 'esp', 'other']);
});
