import { type EInvoice, type Found, readPaymentMethod, readUnit, tidy, writeAddress } from './e-invoice';
import { find, findAll, textAt, type XmlElement } from './xml';

const TYPES: Record<string, string> = {
  1: 'tax_invoice',
  2: 'credit_note',
  3: 'debit_note',
  4: 'proforma',
  5: 'tax_invoice',
  6: 'credit_note',
  7: 'tax_invoice',
};

/** ISDOC 5 and 6. Source: isdoc.cz, Information System Document, version 6.0.2. */
export function readIsdoc(root: XmlElement): EInvoice {
  const foreign = textAt(root, 'ForeignCurrencyCode');
  // In a foreign currency, amounts stand twice: the ones that end in Curr are in the invoice's own currency.
  const amount = (element: XmlElement | undefined, name: string) =>
    (foreign ? textAt(element, `${name}Curr`) : undefined) ?? textAt(element, name);
  const sums = find(root, 'LegalMonetaryTotal');
  const payment = find(root, 'PaymentMeans/Payment');
  const details = find(payment, 'Details');
  return {
    syntax: 'ISDOC',
    fields: tidy({
      document_id: textAt(root, 'ID'),
      document_type: TYPES[textAt(root, 'DocumentType') ?? '1'],
      date_issue: textAt(root, 'IssueDate'),
      date_uzp: textAt(root, 'TaxPointDate'),
      date_due: textAt(details, 'PaymentDueDate'),
      currency: foreign ?? textAt(root, 'LocalCurrencyCode'),
      order_id: textAt(root, 'OrderReferences/OrderReference/ExternalOrderID'),
      sender_order_id: textAt(root, 'OrderReferences/OrderReference/SalesOrderID'),
      delivery_note_id: textAt(root, 'DeliveryNoteReferences/DeliveryNoteReference/ID'),
      account_num: textAt(details, 'ID'),
      bank_num: textAt(details, 'BankCode'),
      iban: textAt(details, 'IBAN'),
      bic: textAt(details, 'BIC'),
      var_sym: textAt(details, 'VariableSymbol'),
      const_sym: textAt(details, 'ConstantSymbol'),
      spec_sym: textAt(details, 'SpecificSymbol'),
      ...readPaymentMethod(textAt(payment, 'PaymentMeansCode')),
      amount_total: amount(sums, 'TaxInclusiveAmount'),
      amount_total_base: amount(sums, 'TaxExclusiveAmount'),
      amount_total_tax: amount(find(root, 'TaxTotal'), 'TaxAmount'),
      amount_paid: amount(sums, 'PaidDepositsAmount'),
      amount_due: amount(sums, 'PayableAmount'),
      amount_rounding: amount(sums, 'PayableRoundingAmount'),
      ...readParty('sender', find(root, 'AccountingSupplierParty/Party')),
      sender_email: textAt(root, 'AccountingSupplierParty/Party/Contact/ElectronicMail'),
      ...readParty('recipient', find(root, 'AccountingCustomerParty/Party')),
      recipient_delivery_name: textAt(root, 'Delivery/Party/PartyName/Name'),
      recipient_delivery_address: readAddress(find(root, 'Delivery/Party/PostalAddress')),
    }),
    taxDetails: findAll(root, 'TaxTotal/TaxSubTotal').map((tax) =>
      tidy({
        tax_detail_rate: textAt(tax, 'TaxCategory/Percent'),
        tax_detail_base: amount(tax, 'TaxableAmount'),
        tax_detail_tax: amount(tax, 'TaxAmount'),
        tax_detail_total: amount(tax, 'TaxInclusiveAmount'),
      }),
    ),
    lineItems: findAll(root, 'InvoiceLines/InvoiceLine').map((line) =>
      tidy({
        table_column_code: textAt(
          line,
          'Item/SellersItemIdentification/ID',
          'Item/CatalogueItemIdentification/ID',
          'Item/BuyersItemIdentification/ID',
        ),
        table_column_description: textAt(line, 'Item/Description'),
        table_column_quantity: textAt(line, 'InvoicedQuantity'),
        table_column_uom: readUnit(find(line, 'InvoicedQuantity')?.attributes.unitCode),
        table_column_amount_base: textAt(line, 'UnitPrice'),
        table_column_amount: textAt(line, 'UnitPriceTaxInclusive'),
        table_column_rate: textAt(line, 'ClassifiedTaxCategory/Percent'),
        table_column_amount_total_base: amount(line, 'LineExtensionAmount'),
        table_column_amount_total: amount(line, 'LineExtensionAmountTaxInclusive'),
      }),
    ),
    remarks: [],
  };
}

function readParty(role: 'sender' | 'recipient', party: XmlElement | undefined): Found {
  const number = textAt(party, 'PartyTaxScheme/CompanyID');
  const isVatId = /^[A-Z]{2}/.test(number ?? '');
  return {
    [`${role}_name`]: textAt(party, 'PartyName/Name'),
    [`${role}_address`]: readAddress(find(party, 'PostalAddress')),
    [`${role}_ic`]: textAt(party, 'PartyIdentification/ID'),
    [`${role}_vat_id`]: isVatId ? number : undefined,
    [`${role}_dic`]: isVatId ? undefined : number,
  };
}

function readAddress(address: XmlElement | undefined): string | undefined {
  const street = [textAt(address, 'StreetName'), textAt(address, 'BuildingNumber')].filter(Boolean).join(' ');
  return writeAddress([street], textAt(address, 'PostalZone'), textAt(address, 'CityName'));
}
