import { beginsLikeEInvoice, isReadableType } from './readable';

it.each([
  ['application/pdf', true],
  ['image/tiff', true],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', true],
  ['application/json', false],
  ['image/heic', true],
  ['image/svg+xml', false],
  ['text/xml', null],
])('%s', (type, expected) => expect(isReadableType(type)).toBe(expected));

it.each([
  ['CII', '<?xml version="1.0"?><rsm:CrossIndustryInvoice xmlns:rsm="urn:x">', true],
  ['UBL', '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2">', true],
  ['ISDOC', '<Invoice xmlns="http://isdoc.cz/namespace/2013" version="6.0.1">', true],
  ['FatturaPA', '<p:FatturaElettronica versione="FPR12">', true],
  ['simplified FatturaPA', '<p:FatturaElettronicaSemplificata versione="FSM10">', true],
  ['another Invoice', '<Invoice xmlns="urn:else">', false],
  ['another XML', '<order/>', false],
])('%s', (_, text, expected) => expect(beginsLikeEInvoice(Buffer.from(text))).toBe(expected));

it('sees UTF-16 too', () =>
  expect(beginsLikeEInvoice(Buffer.from('<x:CrossIndustryInvoice xmlns:x="u">', 'utf16le'))).toBe(true));
