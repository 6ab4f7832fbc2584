import { PDFDocument, StandardFonts } from 'pdf-lib';
import { readPages, recognize, renderPage } from '../index';

const cii = (total: string) => `<?xml version="1.0"?><CrossIndustryInvoice>
  <ExchangedDocument><ID>2024-77</ID><TypeCode>380</TypeCode><IssueDateTime><DateTimeString format="102">20240131</DateTimeString></IssueDateTime></ExchangedDocument>
  <SupplyChainTradeTransaction>
    <IncludedSupplyChainTradeLineItem><SpecifiedTradeProduct><Name>Žluťoučký kůň – ${'very '.repeat(20)}long</Name></SpecifiedTradeProduct>
      <SpecifiedLineTradeSettlement><SpecifiedTradeSettlementLineMonetarySummation><LineTotalAmount>100.00</LineTotalAmount></SpecifiedTradeSettlementLineMonetarySummation></SpecifiedLineTradeSettlement></IncludedSupplyChainTradeLineItem>
    <ApplicableHeaderTradeAgreement><SellerTradeParty><Name>Example Trading Ltd</Name></SellerTradeParty></ApplicableHeaderTradeAgreement>
    <ApplicableHeaderTradeSettlement><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode><SpecifiedTradeSettlementHeaderMonetarySummation><TaxBasisTotalAmount>100.00</TaxBasisTotalAmount><TaxTotalAmount>20.00</TaxTotalAmount><GrandTotalAmount>${total}</GrandTotalAmount></SpecifiedTradeSettlementHeaderMonetarySummation></ApplicableHeaderTradeSettlement>
  </SupplyChainTradeTransaction></CrossIndustryInvoice>`;

/** A page that shows 100.00 + 20.00 = 120.00, with an invoice attached. */
async function makePdf(xml: string): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage([595, 842]);
  const lines = ['Example Trading Ltd', 'Invoice number: 2024-77', 'Invoice date: 31.01.2024', 'Order number: A-15'];
  const totals = ['Net amount: 100.00', 'VAT amount: 20.00', 'Total amount: 120.00 EUR'];
  [...lines, ...totals].forEach((text, at) => {
    page.drawText(text, { x: 50, y: 780 - at * 24, size: 11, font });
  });
  await document.attach(Buffer.from('notes'), 'readme.txt');
  await document.attach(Buffer.from(xml), 'anything.xml', { mimeType: 'text/xml' });
  return document.save();
}

test('an embedded invoice: its values, at their places; the rest from the page', async () => {
  const { fields, tables, eInvoice } = await recognize(await makePdf(cii('120.00')), { mimeType: 'application/pdf' });
  expect(eInvoice).toEqual({ syntax: 'CII', printed: false, contradictions: [] });
  expect(fields.amount_total?.[0]).toMatchObject({ value: '120.00', confidence: 1, page: 1, rawText: '120.00 EUR' });
  expect(fields.amount_total?.[0]?.position?.[1]).toBeGreaterThan(350);
  expect(fields.document_id?.[0]).toMatchObject({ value: '2024-77', confidence: 1, position: expect.anything() });
  expect(fields.order_id?.[0]?.value).toBe('A-15');
  expect(fields.order_id?.[0]?.confidence).toBeLessThan(1);
  expect(tables.line_items).toHaveLength(1);
});

test('a page that contradicts its invoice', async () => {
  const { fields, eInvoice } = await recognize(await makePdf(cii('170.00')), { mimeType: 'application/pdf' });
  expect(fields.amount_total?.[0]?.value).toBe('170.00');
  expect(eInvoice?.contradictions).toEqual([
    { field: 'amount_total', message: expect.stringMatching(/120\.00.*170\.00/) },
  ]);
});

test('XML alone gets a page', async () => {
  const xml = Buffer.from(cii('120.00'));
  const { pages, fields, tables, eInvoice } = await recognize(xml, { mimeType: 'text/xml' });
  expect(eInvoice).toEqual({ syntax: 'CII', printed: true, contradictions: [] });
  expect(await readPages(xml, 'text/xml')).toEqual([{ number: 1, width: 1240, height: 1754, rotation: 0 }]);
  expect(await renderPage(xml, 'text/xml', 1)).toMatchObject({ width: 1240, height: 1754 });
  const description = tables.line_items?.[0]?.cells.table_column_description;
  for (const candidate of [...Object.values(fields).flat(), description!]) {
    expect(candidate.confidence).toBe(1);
    if (candidate === fields.document_type?.[0]) continue;
    const [left, top, right, bottom] = candidate.position!;
    const inside = pages[0]!.words.filter(({ position: [l, t, r, b] }) => {
      const [x, y] = [(l + r) / 2, (t + b) / 2];
      return x > left && x < right && y > top && y < bottom;
    });
    expect(inside.map((word) => word.text).join(' ')).toBe(candidate.value);
  }
});

test.each([
  ['', /empty/],
  ['<order/>', /no electronic invoice/],
  ['<order>', /not well-formed/],
])('XML %p is refused in words', async (text, message) => {
  await expect(recognize(Buffer.from(text), { mimeType: 'text/xml' })).rejects.toThrow(message);
});
