import { readEInvoice } from './read-e-invoice';

const read = (xml: string) => readEInvoice(Buffer.from(xml));

const UBL = (root: string, line: string, quantity: string, more: string) => `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:ID>R-17</cbc:ID><cbc:IssueDate>2024-03-01</cbc:IssueDate>${more}<cbc:DocumentCurrencyCode>SEK</cbc:DocumentCurrencyCode>
<cac:OrderReference><cbc:ID>PO 9</cbc:ID></cac:OrderReference>
<cac:AccountingSupplierParty><cac:Party><cac:PostalAddress><cbc:StreetName>Storgatan 1</cbc:StreetName><cbc:CityName>Uppsala</cbc:CityName><cbc:PostalZone>753 10</cbc:PostalZone></cac:PostalAddress>
<cac:PartyTaxScheme><cbc:CompanyID>SE556677889901</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
<cac:PartyTaxScheme><cbc:CompanyID>Godkänd</cbc:CompanyID><cac:TaxScheme><cbc:ID>TAX</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
<cac:PartyLegalEntity><cbc:RegistrationName>Säljare AB</cbc:RegistrationName><cbc:CompanyID>556677-8899</cbc:CompanyID></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party><cac:PartyName><cbc:Name>Köpare</cbc:Name></cac:PartyName></cac:Party></cac:AccountingCustomerParty>
<cac:PaymentMeans><cbc:PaymentMeansCode name="Credit transfer">30</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>SE45 5000 0000 0583 9825 7466</cbc:ID><cac:FinancialInstitutionBranch><cbc:ID>ESSESESS</cbc:ID></cac:FinancialInstitutionBranch></cac:PayeeFinancialAccount></cac:PaymentMeans>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">22.00</cbc:TaxAmount></cac:TaxTotal>
<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">250.00</cbc:TaxAmount><cac:TaxSubtotal><cbc:TaxableAmount>1000.00</cbc:TaxableAmount><cbc:TaxAmount>250.00</cbc:TaxAmount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount>1000.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount>1250.00</cbc:TaxInclusiveAmount><cbc:PrepaidAmount>0.00</cbc:PrepaidAmount><cbc:PayableAmount>1250.00</cbc:PayableAmount></cac:LegalMonetaryTotal>
<cac:${line}><cbc:${quantity} unitCode="HUR">4</cbc:${quantity}><cbc:LineExtensionAmount>1000.00</cbc:LineExtensionAmount><cac:Item><cbc:Description>Lång text</cbc:Description><cbc:Name>Arbete</cbc:Name><cac:SellersItemIdentification><cbc:ID>A1</cbc:ID></cac:SellersItemIdentification><cac:ClassifiedTaxCategory><cbc:Percent>25</cbc:Percent></cac:ClassifiedTaxCategory></cac:Item><cac:Price><cbc:PriceAmount>500.00</cbc:PriceAmount><cbc:BaseQuantity>2</cbc:BaseQuantity></cac:Price></cac:${line}>
</${root}>`;

test('UBL: PEPPOL and XRechnung', () => {
  const due = '<cbc:DueDate>2024-03-31</cbc:DueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>';
  expect(read(UBL('Invoice', 'InvoiceLine', 'InvoicedQuantity', due))).toEqual({
    syntax: 'UBL',
    fields: {
      document_id: 'R-17',
      document_type: 'tax_invoice',
      date_issue: '2024-03-01',
      date_due: '2024-03-31',
      currency: 'SEK',
      order_id: 'PO9',
      iban: 'SE4550000000058398257466',
      bic: 'ESSESESS',
      payment_method: 'Credit transfer',
      amount_total: '1250.00',
      amount_total_base: '1000.00',
      amount_total_tax: '250.00',
      amount_due: '1250.00',
      sender_name: 'Säljare AB',
      sender_address: 'Storgatan 1, 753 10 Uppsala',
      sender_vat_id: 'SE556677889901',
      sender_dic: 'Godkänd',
      sender_ic: '5566778899',
      recipient_name: 'Köpare',
    },
    taxDetails: [{ tax_detail_code: 'S', tax_detail_rate: '25', tax_detail_base: '1000.00', tax_detail_tax: '250.00' }],
    lineItems: [
      {
        table_column_code: 'A1',
        table_column_description: 'Arbete',
        table_column_quantity: '4',
        table_column_uom: 'h',
        table_column_amount_base: '250',
        table_column_rate: '25',
        table_column_amount_total_base: '1000.00',
      },
    ],
    remarks: [],
  });
});

test('UBL: a credit note', () => {
  const note = read(UBL('CreditNote', 'CreditNoteLine', 'CreditedQuantity', ''));
  expect(note?.fields.document_type).toBe('credit_note');
  expect(note?.lineItems[0]?.table_column_quantity).toBe('4');
});

test('CII of ZUGFeRD 1.0', () => {
  const invoice =
    read(`<rsm:CrossIndustryDocument xmlns:rsm="urn:ferd:CrossIndustryDocument:invoice:1p0" xmlns:ram="r" xmlns:udt="u">
    <rsm:HeaderExchangedDocument><ram:ID>471102</ram:ID><ram:TypeCode>381</ram:TypeCode><ram:IssueDateTime><udt:DateTimeString format="102">20130305</udt:DateTimeString></ram:IssueDateTime></rsm:HeaderExchangedDocument>
    <rsm:SpecifiedSupplyChainTradeTransaction>
      <ram:ApplicableSupplyChainTradeAgreement><ram:SellerTradeParty><ram:Name>Lieferant GmbH</ram:Name><ram:PostalTradeAddress><ram:PostcodeCode>80333</ram:PostcodeCode><ram:LineOne>Lieferantenstraße 20</ram:LineOne><ram:CityName>München</ram:CityName></ram:PostalTradeAddress>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">201/113/40209</ram:ID></ram:SpecifiedTaxRegistration><ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty></ram:ApplicableSupplyChainTradeAgreement>
      <ram:ApplicableSupplyChainTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
        <ram:ApplicableTradeTax><ram:CalculatedAmount>37.62</ram:CalculatedAmount><ram:BasisAmount>198.00</ram:BasisAmount><ram:ApplicablePercent>19.00</ram:ApplicablePercent></ram:ApplicableTradeTax>
        <ram:SpecifiedTradeSettlementMonetarySummation><ram:TaxBasisTotalAmount>198.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount>37.62</ram:TaxTotalAmount><ram:GrandTotalAmount>235.62</ram:GrandTotalAmount></ram:SpecifiedTradeSettlementMonetarySummation></ram:ApplicableSupplyChainTradeSettlement>
      <ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:IncludedNote><ram:Content>only a note</ram:Content></ram:IncludedNote></ram:AssociatedDocumentLineDocument></ram:IncludedSupplyChainTradeLineItem>
    </rsm:SpecifiedSupplyChainTradeTransaction></rsm:CrossIndustryDocument>`);
  expect(invoice).toMatchObject({
    syntax: 'CII',
    fields: {
      document_id: '471102',
      document_type: 'credit_note',
      date_issue: '2013-03-05',
      sender_address: 'Lieferantenstraße 20, 80333 München',
      sender_vat_id: 'DE123456789',
      sender_dic: '201/113/40209',
      amount_total: '235.62',
    },
    taxDetails: [{ tax_detail_rate: '19.00', tax_detail_base: '198.00', tax_detail_tax: '37.62' }],
    lineItems: [],
  });
});

test('ISDOC in a foreign currency', () => {
  const invoice =
    read(`<Invoice xmlns="http://isdoc.cz/namespace/2013" version="6.0.1"><DocumentType>1</DocumentType><ID>FV-1/2024</ID>
    <IssueDate>2024-02-01</IssueDate><TaxPointDate>2024-01-31</TaxPointDate><LocalCurrencyCode>CZK</LocalCurrencyCode><ForeignCurrencyCode>EUR</ForeignCurrencyCode>
    <AccountingSupplierParty><Party><PartyIdentification><ID>12345678</ID></PartyIdentification><PartyName><Name>Dodavatel s.r.o.</Name></PartyName>
      <PostalAddress><StreetName>Dlouhá</StreetName><BuildingNumber>5</BuildingNumber><CityName>Brno</CityName><PostalZone>60200</PostalZone></PostalAddress>
      <PartyTaxScheme><CompanyID>CZ12345678</CompanyID><TaxScheme>VAT</TaxScheme></PartyTaxScheme></Party></AccountingSupplierParty>
    <InvoiceLines><InvoiceLine><ID>1</ID><InvoicedQuantity unitCode="ks">2</InvoicedQuantity><LineExtensionAmountCurr>20.00</LineExtensionAmountCurr><LineExtensionAmount>500.00</LineExtensionAmount><UnitPrice>10.00</UnitPrice><ClassifiedTaxCategory><Percent>21</Percent></ClassifiedTaxCategory><Item><Description>Šroub</Description></Item></InvoiceLine></InvoiceLines>
    <TaxTotal><TaxSubTotal><TaxableAmountCurr>20.00</TaxableAmountCurr><TaxableAmount>500.00</TaxableAmount><TaxAmountCurr>4.20</TaxAmountCurr><TaxAmount>105.00</TaxAmount><TaxCategory><Percent>21</Percent></TaxCategory></TaxSubTotal><TaxAmountCurr>4.20</TaxAmountCurr><TaxAmount>105.00</TaxAmount></TaxTotal>
    <LegalMonetaryTotal><TaxExclusiveAmount>500.00</TaxExclusiveAmount><TaxExclusiveAmountCurr>20.00</TaxExclusiveAmountCurr><TaxInclusiveAmount>605.00</TaxInclusiveAmount><TaxInclusiveAmountCurr>24.20</TaxInclusiveAmountCurr><PayableAmount>605.00</PayableAmount><PayableAmountCurr>24.20</PayableAmountCurr></LegalMonetaryTotal>
    <PaymentMeans><Payment><PaidAmount>605</PaidAmount><PaymentMeansCode>42</PaymentMeansCode><Details><PaymentDueDate>2024-02-15</PaymentDueDate><ID>123-456789</ID><BankCode>0100</BankCode><IBAN>CZ6508000000192000145399</IBAN><VariableSymbol>2024001</VariableSymbol><ConstantSymbol>0308</ConstantSymbol></Details></Payment></PaymentMeans></Invoice>`);
  expect(invoice).toMatchObject({
    syntax: 'ISDOC',
    fields: {
      document_id: 'FV-1/2024',
      currency: 'EUR',
      date_uzp: '2024-01-31',
      date_due: '2024-02-15',
      amount_total: '24.20',
      amount_total_base: '20.00',
      amount_total_tax: '4.20',
      sender_ic: '12345678',
      sender_vat_id: 'CZ12345678',
      sender_address: 'Dlouhá 5, 60200 Brno',
      account_num: '123-456789',
      bank_num: '0100',
      var_sym: '2024001',
      const_sym: '0308',
    },
    taxDetails: [{ tax_detail_rate: '21', tax_detail_base: '20.00', tax_detail_tax: '4.20' }],
    lineItems: [{ table_column_description: 'Šroub', table_column_uom: 'ks', table_column_amount_total_base: '20.00' }],
  });
});

test('FatturaPA', () => {
  const body = `<FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD04</TipoDocumento><Divisa>EUR</Divisa><Data>2024-05-06</Data><Numero>12/A</Numero></DatiGeneraliDocumento></DatiGenerali>
    <DatiBeniServizi><DettaglioLinee><Descrizione>Servizio</Descrizione><Quantita>2.00</Quantita><PrezzoUnitario>50.00</PrezzoUnitario><PrezzoTotale>100.00</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA></DettaglioLinee>
    <DatiRiepilogo><AliquotaIVA>22.00</AliquotaIVA><ImponibileImporto>100.00</ImponibileImporto><Imposta>22.00</Imposta></DatiRiepilogo></DatiBeniServizi>
    <DatiPagamento><DettaglioPagamento><ModalitaPagamento>MP01</ModalitaPagamento><ImportoPagamento>122.00</ImportoPagamento></DettaglioPagamento></DatiPagamento></FatturaElettronicaBody>`;
  const file = (
    bodies: string,
  ) => `<p:FatturaElettronica versione="FPR12" xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2">
    <FatturaElettronicaHeader><CedentePrestatore><DatiAnagrafici><IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>01234567890</IdCodice></IdFiscaleIVA><CodiceFiscale>RSSMRA70A01H501U</CodiceFiscale><Anagrafica><Nome>Mario</Nome><Cognome>Rossi</Cognome></Anagrafica></DatiAnagrafici>
    <Sede><Indirizzo>Via Roma</Indirizzo><NumeroCivico>1</NumeroCivico><CAP>00100</CAP><Comune>Roma</Comune><Provincia>RM</Provincia></Sede></CedentePrestatore></FatturaElettronicaHeader>${bodies}</p:FatturaElettronica>`;
  const invoice = read(file(body));
  expect(invoice).toMatchObject({
    syntax: 'FatturaPA',
    fields: {
      document_id: '12/A',
      document_type: 'credit_note',
      amount_total: '122.00',
      amount_total_base: '100.00',
      amount_total_tax: '22.00',
      payment_method_type: 'cash',
      sender_name: 'Mario Rossi',
      sender_vat_id: 'IT01234567890',
      sender_dic: 'RSSMRA70A01H501U',
      sender_address: 'Via Roma 1, 00100 Roma RM',
    },
    remarks: [],
  });
  expect(read(file(body + body))?.remarks).toEqual([expect.stringContaining('holds 2 invoices')]);
});

test('the simplified FatturaPA has amounts with tax', () => {
  const invoice =
    read(`<p:FatturaElettronicaSemplificata versione="FSM10" xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0">
    <FatturaElettronicaHeader><CedentePrestatore><IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>01234567890</IdCodice></IdFiscaleIVA><Denominazione>Bar Centrale</Denominazione><Sede><Indirizzo>Via Roma 1</Indirizzo><CAP>00100</CAP><Comune>Roma</Comune></Sede></CedentePrestatore>
    <CessionarioCommittente><IdentificativiFiscali><CodiceFiscale>RSSMRA70A01H501U</CodiceFiscale></IdentificativiFiscali><AltriDatiIdentificativi><Nome>Mario</Nome><Cognome>Rossi</Cognome></AltriDatiIdentificativi></CessionarioCommittente></FatturaElettronicaHeader>
    <FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD08</TipoDocumento><Divisa>EUR</Divisa><Data>2024-05-06</Data><Numero>7</Numero></DatiGeneraliDocumento></DatiGenerali>
    <DatiBeniServizi><Descrizione>Pranzo</Descrizione><Importo>55.00</Importo><DatiIVA><Aliquota>10.00</Aliquota></DatiIVA></DatiBeniServizi>
    <DatiBeniServizi><Descrizione>Vino</Descrizione><Importo>12.20</Importo><DatiIVA><Imposta>2.20</Imposta></DatiIVA></DatiBeniServizi></FatturaElettronicaBody></p:FatturaElettronicaSemplificata>`);
  expect(invoice).toMatchObject({
    syntax: 'FatturaPA',
    fields: {
      document_id: '7',
      document_type: 'credit_note',
      amount_total: '67.20',
      amount_total_base: '60.00',
      amount_total_tax: '7.20',
      sender_name: 'Bar Centrale',
      sender_vat_id: 'IT01234567890',
      sender_address: 'Via Roma 1, 00100 Roma',
      recipient_name: 'Mario Rossi',
      recipient_dic: 'RSSMRA70A01H501U',
    },
    taxDetails: [
      { tax_detail_rate: '10.00', tax_detail_base: '50.00', tax_detail_tax: '5.00' },
      { tax_detail_tax: '2.20' },
    ],
    lineItems: [{ table_column_description: 'Pranzo', table_column_amount_total: '55.00' }, {}],
  });
});

test.each(['<Invoice><ID>1</ID></Invoice>', '<html><body>Invoice</body></html>', '<FatturaElettronica/>'])(
  '%s is no e-invoice',
  (xml) => {
    expect(read(xml)).toBeUndefined();
  },
);

test('UBL in the envelope of a network', () => {
  const invoice = read(
    '<sh:StandardBusinessDocument xmlns:sh="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"><sh:StandardBusinessDocumentHeader/><CreditNote xmlns="urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"><ID>C-1</ID></CreditNote></sh:StandardBusinessDocument>',
  );
  expect(invoice).toMatchObject({ syntax: 'UBL', fields: { document_id: 'C-1', document_type: 'credit_note' } });
});
