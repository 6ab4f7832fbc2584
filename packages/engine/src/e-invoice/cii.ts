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

const DATE = 'DateTimeString|DateTime|DateString';

/**
 * UN/CEFACT Cross Industry Invoice: ZUGFeRD 1.0 (CrossIndustryDocument) and 2.x, Factur-X, XRechnung, all profiles.
 * Source: ZUGFeRD 1.0 and 2.3 technical annexes; EN 16931-3-3.
 */
export function readCii(root: XmlElement): EInvoice {
  const document = find(root, 'ExchangedDocument|HeaderExchangedDocument');
  const trade = find(root, 'SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction');
  const agreement = find(trade, 'ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement');
  const delivery = find(trade, 'ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery');
  const settlement = find(trade, 'ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement');
  const sums = find(
    settlement,
    'SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation',
  );
  const currency = textAt(settlement, 'InvoiceCurrencyCode');
  const means = findAll(settlement, 'SpecifiedTradeSettlementPaymentMeans');
  const paidTo = means.find((one) => find(one, 'PayeePartyCreditorFinancialAccount'));
  const reference = (name: string, from: XmlElement | undefined = agreement) =>
    textAt(from, `${name}/IssuerAssignedID`, `${name}/ID`);
  const shipTo = find(delivery, 'ShipToTradeParty');
  return {
    syntax: 'CII',
    fields: tidy({
      document_id: textAt(document, 'ID'),
      document_type: readDocumentType(textAt(document, 'TypeCode')),
      date_issue: textAt(document, `IssueDateTime/${DATE}`),
      date_uzp: textAt(delivery, `ActualDeliverySupplyChainEvent/OccurrenceDateTime/${DATE}`),
      date_due: textAt(settlement, `SpecifiedTradePaymentTerms/DueDateDateTime/${DATE}`),
      terms: textAt(settlement, 'SpecifiedTradePaymentTerms/Description'),
      currency,
      order_id: reference('BuyerOrderReferencedDocument'),
      sender_order_id: reference('SellerOrderReferencedDocument'),
      delivery_note_id:
        reference('DespatchAdviceReferencedDocument', delivery) ??
        reference('DeliveryNoteReferencedDocument', delivery),
      customer_id: textAt(agreement, 'BuyerTradeParty/ID'),
      ...readAccount(
        textAt(paidTo, 'PayeePartyCreditorFinancialAccount/IBANID', 'PayeePartyCreditorFinancialAccount/ProprietaryID'),
      ),
      bic: textAt(paidTo, 'PayeeSpecifiedCreditorFinancialInstitution/BICID'),
      payment_method: textAt(means[0], 'Information'),
      ...readPaymentMethod(textAt(means[0], 'TypeCode')),
      amount_total: textAt(sums, 'GrandTotalAmount'),
      amount_total_base: textAt(sums, 'TaxBasisTotalAmount'),
      amount_total_tax: inCurrency(findAll(sums, 'TaxTotalAmount'), currency),
      amount_paid: textAt(sums, 'TotalPrepaidAmount'),
      amount_due: textAt(sums, 'DuePayableAmount'),
      amount_rounding: textAt(sums, 'RoundingAmount'),
      ...readParty('sender', find(agreement, 'SellerTradeParty')),
      sender_email: textAt(agreement, 'SellerTradeParty/DefinedTradeContact/EmailURIUniversalCommunication/URIID'),
      ...readParty('recipient', find(agreement, 'BuyerTradeParty')),
      recipient_delivery_name: textAt(shipTo, 'Name'),
      recipient_delivery_address: readAddress(shipTo),
    }),
    taxDetails: findAll(settlement, 'ApplicableTradeTax').map((tax) =>
      tidy({
        tax_detail_rate: textAt(tax, 'RateApplicablePercent|ApplicablePercent'),
        tax_detail_base: textAt(tax, 'BasisAmount'),
        tax_detail_tax: textAt(tax, 'CalculatedAmount'),
        tax_detail_code: textAt(tax, 'CategoryCode'),
      }),
    ),
    lineItems: findAll(trade, 'IncludedSupplyChainTradeLineItem')
      .map(readLine)
      .filter((line) => line !== undefined),
    remarks: [],
  };
}

/** Some invoices give the tax in a second currency too. */
function inCurrency(amounts: XmlElement[], currency: string | undefined): string | undefined {
  const same = amounts.find((one) => one.attributes.currencyID === currency);
  return (same ?? amounts[0])?.text;
}

function readParty(role: 'sender' | 'recipient', party: XmlElement | undefined): Found {
  const registration = (scheme: string) =>
    findAll(party, 'SpecifiedTaxRegistration/ID').find((id) => id.attributes.schemeID === scheme)?.text;
  return {
    [`${role}_name`]: textAt(party, 'Name'),
    [`${role}_address`]: readAddress(party),
    [`${role}_vat_id`]: registration('VA'),
    [`${role}_dic`]: registration('FC'),
    [`${role}_ic`]: textAt(party, 'SpecifiedLegalOrganization/ID'),
  };
}

function readAddress(party: XmlElement | undefined): string | undefined {
  const address = find(party, 'PostalTradeAddress');
  const street = ['LineOne', 'LineTwo', 'LineThree'].map((line) => textAt(address, line));
  return writeAddress(street, textAt(address, 'PostcodeCode'), textAt(address, 'CityName'));
}

/** Lines that only carry a note are no rows. */
function readLine(line: XmlElement): Record<string, string> | undefined {
  const agreement = find(line, 'SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement');
  const settlement = find(line, 'SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement');
  const price = find(agreement, 'NetPriceProductTradePrice');
  const quantity = find(line, 'SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery/BilledQuantity');
  const row = tidy({
    table_column_code: textAt(line, 'SpecifiedTradeProduct/SellerAssignedID', 'SpecifiedTradeProduct/GlobalID'),
    table_column_description: textAt(line, 'SpecifiedTradeProduct/Name', 'SpecifiedTradeProduct/Description'),
    table_column_quantity: quantity?.text,
    table_column_uom: readUnit(quantity?.attributes.unitCode),
    table_column_amount_base: priceOfOne(textAt(price, 'ChargeAmount'), textAt(price, 'BasisQuantity')),
    table_column_rate: textAt(settlement, 'ApplicableTradeTax/RateApplicablePercent|ApplicablePercent'),
    table_column_amount_total_base: textAt(
      settlement,
      'SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation/LineTotalAmount',
    ),
  });
  return row.table_column_description || row.table_column_amount_total_base ? row : undefined;
}
