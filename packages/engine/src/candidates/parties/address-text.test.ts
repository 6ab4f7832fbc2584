import { addressIn, splitAddressLine } from './address-text';

test.each([
  [
    'Moulin Vert SARL - 12 chemin des Lilas - 84340 Malaucène',
    'Moulin Vert SARL',
    '12 chemin des Lilas, 84340 Malaucène',
  ],
  ['Acme GmbH Lindenweg 3 83556 Griesbach', 'Acme GmbH', 'Lindenweg 3 83556 Griesbach'],
  [
    'Acme Ltd · Registered office: 1 High Street, Leeds LS1 1AA · Registered in England',
    'Acme Ltd',
    '1 High Street, Leeds LS1 1AA',
  ],
  [
    'Fenland Water plc, Ouse House, Station Road, Ely CB7 4DR',
    'Fenland Water plc',
    'Ouse House, Station Road, Ely CB7 4DR',
  ],
])('name and address in one line: %s', (line, name, address) => {
  expect(splitAddressLine(line)).toEqual({ name, address });
});

test('a house with a name, in a street without a number, is no company', () => {
  expect(splitAddressLine('The Old Dairy, Chapel Lane, Tideswell SK17 8NR')).toBeUndefined();
});

test('a place alone is no name with an address', () => {
  expect(splitAddressLine('Seattle, WA 98109, US')).toBeUndefined();
});

test('of a line, how to reach somebody and his numbers are no address', () => {
  expect(addressIn('High Street 1, Leeds LS1 1AA | 0113 496 0000 | VAT 123 4567 82')).toBe(
    'High Street 1, Leeds LS1 1AA',
  );
});

test('the number of a company between its name and its address is neither', () => {
  expect(splitAddressLine('Treetop Tidy | ABN 43 518 844 271 | PO Box 118, Bulli NSW 2516')).toEqual({
    name: 'Treetop Tidy',
    address: 'PO Box 118, Bulli NSW 2516',
  });
});

test('words for streets that are cut short end no sentence', () => {
  const line = 'Blvd. Torres Landa 1188 Int. 4, Col. El Tlacuache, 37526 León';
  expect(addressIn(line)).toBe(line);
});

test('rooms behind a house are no place', () => {
  const line = 'RUA MARECHAL DEODORO, 1188, SALA 402 - CENTRO - CEP: 80010-010';
  expect(addressIn(line)).toContain('80010-010');
});

test('the number of a shop begins an address, not a name', () => {
  expect(splitAddressLine('Shop 14, Lotus Market, Station Road, Jaipur, RAJASTHAN, 302001')).toBeUndefined();
});
