import {
  type EInvoice,
  type Found,
  priceOfOne,
  readAccount,
  readDocumentType,
  readPaymentMethod,
  readUnit,
  tidy,
  writeAddress,
} from './e-invoice';
import { find, findAll, textAt, type XmlElement } from './xml';

/** UBL 2.x Invoice and CreditNote: XRechnung, PEPPOL BIS Billing 3.0 and others. Source: EN 16931-3-2. */
export function readUbl(root: XmlElement): EInvoice {
  const sums = find(root, 'LegalMonetaryTotal|RequestedMonetaryTotal');
  const currency = textAt(root, 'DocumentCurrencyCode');
  const means = findAll(root, 'PaymentMeans');
  const paidTo = means.find((one) => find(one, 'PayeeFinancialAccount')) ?? means[0];
  const taxes = findAll(root, 'TaxTotal').filter(
    (total, _, all) => all.length === 1 || find(total, 'TaxAmount')?.attributes.currencyID === currency,
  );
  const seller = find(root, 'AccountingSupplierParty/Party');
  const buyer = find(root, 'AccountingCustomerParty/Party');
  const byRoot = { CreditNote: 'credit_note', DebitNote: 'debit_note' }[root.name];
  return {
    syntax: 'UBL',
    fields: tidy({
      document_id: textAt(root, 'ID'),
      document_type: byRoot ?? readDocumentType(textAt(root, 'InvoiceTypeCode') ?? '380'),
      date_issue: textAt(root, 'IssueDate'),
      date_uzp: textAt(root, 'TaxPointDate', 'Delivery/ActualDeliveryDate'),
      date_due: textAt(root, 'DueDate', 'PaymentMeans/PaymentDueDate', 'PaymentTerms/PaymentDueDate'),
      terms: textAt(root, 'PaymentTerms/Note'),
      currency,
      order_id: textAt(root, 'OrderReference/ID'),
      sender_order_id: textAt(root, 'OrderReference/SalesOrderID'),
      delivery_note_id: textAt(root, 'DespatchDocumentReference/ID'),
      customer_id: textAt(buyer, 'PartyIdentification/ID'),
      ...readAccount(textAt(paidTo, 'PayeeFinancialAccount/ID')),
      bic: textAt(
        paidTo,
        'PayeeFinancialAccount/FinancialInstitutionBranch/FinancialInstitution/ID',
        'PayeeFinancialAccount/FinancialInstitutionBranch/ID',
      ),
      payment_method: find(means[0], 'PaymentMeansCode')?.attributes.name,
      ...readPaymentMethod(textAt(means[0], 'PaymentMeansCode')),
      amount_total: textAt(sums, 'TaxInclusiveAmount', 'PayableAmount'),
      amount_total_base: textAt(sums, 'TaxExclusiveAmount'),
      amount_total_tax: textAt(taxes[0], 'TaxAmount'),
      amount_paid: textAt(sums, 'PrepaidAmount'),
      amount_due: textAt(sums, 'PayableAmount'),
      amount_rounding: textAt(sums, 'PayableRoundingAmount'),
      ...readParty('sender', seller),
      sender_email: textAt(seller, 'Contact/ElectronicMail'),
      ...readParty('recipient', buyer),
      recipient_delivery_name: textAt(root, 'Delivery/DeliveryParty/PartyName/Name'),
      recipient_delivery_address: readAddress(find(root, 'Delivery/DeliveryLocation/Address')),
    }),
    taxDetails: findAll(taxes[0], 'TaxSubtotal').map((tax) =>
      tidy({
        tax_detail_rate: textAt(tax, 'TaxCategory/Percent', 'Percent'),
        tax_detail_base: textAt(tax, 'TaxableAmount'),
        tax_detail_tax: textAt(tax, 'TaxAmount'),
        tax_detail_code: textAt(tax, 'TaxCategory/ID'),
      }),
    ),
    lineItems: findAll(root, 'InvoiceLine|CreditNoteLine|DebitNoteLine').map(readLine),
    remarks: [],
  };
}

function readParty(role: 'sender' | 'recipient', party: XmlElement | undefined): Found {
  const schemes = findAll(party, 'PartyTaxScheme');
  const registration = (isVat: boolean) =>
    textAt(
      schemes.find((one) => (textAt(one, 'TaxScheme/ID') ?? 'VAT').toUpperCase().startsWith('VAT') === isVat),
      'CompanyID',
    );
  return {
    [`${role}_name`]: textAt(party, 'PartyLegalEntity/RegistrationName', 'PartyName/Name'),
    [`${role}_address`]: readAddress(find(party, 'PostalAddress')),
    [`${role}_vat_id`]: registration(true),
    [`${role}_dic`]: registration(false),
    [`${role}_ic`]: textAt(party, 'PartyLegalEntity/CompanyID'),
  };
}

function readAddress(address: XmlElement | undefined): string | undefined {
  const named = [textAt(address, 'StreetName'), textAt(address, 'BuildingNumber')].filter(Boolean).join(' ');
  const more = [textAt(address, 'AdditionalStreetName'), textAt(address, 'AddressLine/Line')];
  return writeAddress([named, ...more], textAt(address, 'PostalZone'), textAt(address, 'CityName'));
}

function readLine(line: XmlElement): Record<string, string> {
  const quantity = find(line, 'InvoicedQuantity|CreditedQuantity|DebitedQuantity');
  const item = find(line, 'Item');
  return tidy({
    table_column_code: textAt(
      item,
      'SellersItemIdentification/ID',
      'StandardItemIdentification/ID',
      'BuyersItemIdentification/ID',
    ),
    table_column_description: textAt(item, 'Name', 'Description'),
    table_column_quantity: quantity?.text,
    table_column_uom: readUnit(quantity?.attributes.unitCode),
    table_column_amount_base: priceOfOne(textAt(line, 'Price/PriceAmount'), textAt(line, 'Price/BaseQuantity')),
    table_column_rate: textAt(item, 'ClassifiedTaxCategory/Percent'),
    table_column_amount_total_base: textAt(line, 'LineExtensionAmount'),
  });
}
