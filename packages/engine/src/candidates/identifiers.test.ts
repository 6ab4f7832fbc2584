import { isBic, isCheckedGstin, isIban, isIco, isLuhn, mendBic, mendCountry, readIban, readVatId } from './identifiers';

test.each([
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'FR1420041010050500013M02606',
  'CZ6508000000192000145399',
  'NO9386011117947',
  'MT84MALT011000012345MTLCAST001S',
])('%s is an IBAN', (iban) => {
  expect(isIban(iban)).toBe(true);
  const wrong = iban.slice(0, -1) + (iban.endsWith('0') ? '1' : '0');
  expect(isIban(wrong)).toBe(false);
});

test('an IBAN of the right digits but the wrong length for its country is none', () => {
  expect(isIban('DE8937040044053201300')).toBe(false);
  expect(isIban('XX89370400440532013000')).toBe(false);
});

test('an IBAN is read out of a text, with its spaces', () => {
  expect(readIban('DE89 3704 0044 0532 0130 00 BIC COBADEFF')).toEqual({
    iban: 'DE89370400440532013000',
    valid: true,
    length: 27,
  });
  expect(readIban('DE89 3704')).toBeUndefined();
  expect(readIban('Description of goods and services 12345')).toBeUndefined();
});

test('letters that OCR has read among the digits are put right when the check digits then hold', () => {
  expect(readIban('DE89 37O4 0O44 0532 0l30 00')).toMatchObject({ iban: 'DE89370400440532013000', valid: true });
  expect(readIban('DE88 3704 0044 0532 0130 00')).toMatchObject({ iban: 'DE88370400440532013000', valid: false });
});

test.each<[string, string, boolean | undefined]>([
  ['DE 291 460 737', 'DE291460737', true],
  ['DE291460738', 'DE291460738', false],
  ['CZ27486133', 'CZ27486133', true],
  ['CZ27486134', 'CZ27486134', false],
  ['FR76812045771', 'FR76812045771', true],
  ['IT02780790107', 'IT02780790107', true],
  ['NL810433941B01', 'NL810433941B01', undefined],
  ['ATU12345678', 'ATU12345678', false],
  ['GB317654255', 'GB317654255', undefined],
  ['CHE-123.456.789 MWST', 'CHE123456789MWST', undefined],
])('VAT number %s', (text, vatId, checked) => {
  expect(readVatId(text)).toEqual({ vatId, checked });
});

test.each(['DE12345678', 'XX123456789', 'INVOICE', 'NL810433941'])('%s is no VAT number', (text) => {
  expect(readVatId(text)).toBeUndefined();
});

test('company numbers', () => {
  expect([isIco('27486133'), isIco('27486134'), isIco('2748613')]).toEqual([true, false, false]);
  expect([isLuhn('812045771'), isLuhn('812045772'), isLuhn('81204577a')]).toEqual([true, false, false]);
});

test('BIC', () => {
  expect(['COBADEFFXXX', 'NWBKGB2L', 'PSSTFRPPLYO'].every(isBic)).toBe(true);
  expect(['RECHNUNG', 'COBADEFFX', 'cobadeff', '12345678'].some(isBic)).toBe(false);
});

test.each([
  ['GENODEFIMO4', 'GENODEF1M04'],
  ['GENODEF1MO4', 'GENODEF1M04'],
  ['HELADEFIGEL', 'HELADEF1GEL'],
  ['SOGEDEFFXXX', 'SOGEDEFFXXX'],
  ['PSSTFRPPLYO', 'PSSTFRPPLYO'],
  ['GIBAATWWXXX', 'GIBAATWWXXX'],
])('digits of a BIC that OCR took for letters: %s', (text, bic) => {
  expect(mendBic(text)).toBe(bic);
});

test('letters of an account stay letters, and confused ones of a VAT number become digits', () => {
  expect(readIban('RO16BTRLRONCRTO123456701')).toMatchObject({ iban: 'RO16BTRLRONCRT0123456701', valid: true });
  expect(readVatId('SES56188840401')).toEqual({ vatId: 'SE556188840401', checked: true });
  expect(readVatId('IE6388047V')).toMatchObject({ vatId: 'IE6388047V' });
});

test.each([
  ['F115728600', 'FI15728600'],
  ['R034512390', 'RO34512390'],
  // The check digits do not hold.
  ['1T01114601007', '1T01114601007'],
  ['B85905495', 'B85905495'],
])('letters of the country of a VAT number that OCR took for digits: %s', (text, vatId) => {
  expect(mendCountry(text)).toBe(vatId);
});

test('the last character checks a number of the Indian GST', () => {
  expect(isCheckedGstin('27AAPFU0939F1ZV')).toBe(true);
  expect(isCheckedGstin('27AAPFU0939F1ZW')).toBe(false);
  expect(isCheckedGstin('27AAPFU0939F')).toBe(false);
});

test('a zero of an IBAN that OCR has seen twice', () => {
  expect(readIban('DEO02120300000000202051')).toEqual({ iban: 'DE02120300000000202051', valid: true, length: 23 });
});
