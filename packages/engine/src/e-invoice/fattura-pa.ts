import { type EInvoice, type Found, readDecimal, tidy, writeAddress } from './e-invoice';
import { find, findAll, textAt, type XmlElement } from './xml';

/** FatturaPA 1.2. Source: Agenzia delle Entrate, specifiche tecniche 1.8. */
export function readFatturaPa(root: XmlElement): EInvoice {
  const header = find(root, 'FatturaElettronicaHeader');
  const bodies = findAll(root, 'FatturaElettronicaBody');
  const body = bodies[0];
  const general = find(body, 'DatiGenerali/DatiGeneraliDocumento');
  const payments = findAll(body, 'DatiPagamento/DettaglioPagamento');
  const taxes = findAll(body, 'DatiBeniServizi/DatiRiepilogo');
  const base = sum(taxes, 'ImponibileImporto');
  const tax = sum(taxes, 'Imposta');
  const paidBy = textAt(payments[0], 'ModalitaPagamento');
  const due = sum(payments, 'ImportoPagamento');
  return {
    syntax: 'FatturaPA',
    fields: tidy({
      document_id: textAt(general, 'Numero'),
      document_type: documentType(textAt(general, 'TipoDocumento')),
      date_issue: textAt(general, 'Data'),
      date_due: textAt(payments[0], 'DataScadenzaPagamento'),
      currency: textAt(general, 'Divisa'),
      order_id: textAt(body, 'DatiGenerali/DatiOrdineAcquisto/IdDocumento'),
      delivery_note_id: textAt(body, 'DatiGenerali/DatiDDT/NumeroDDT'),
      iban: payments.map((one) => textAt(one, 'IBAN')).find((one) => one),
      bic: payments.map((one) => textAt(one, 'BIC')).find((one) => one),
      ...(paidBy === 'MP01' && { payment_method_type: 'cash' }),
      ...(paidBy === 'MP08' && { payment_method_type: 'card' }),
      amount_total: textAt(general, 'ImportoTotaleDocumento') ?? addUp(base, tax),
      amount_total_base: base,
      amount_total_tax: tax,
      amount_due: due,
      amount_rounding: textAt(general, 'Arrotondamento'),
      ...readParty('sender', find(header, 'CedentePrestatore')),
      sender_email: textAt(header, 'CedentePrestatore/Contatti/Email'),
      ...readParty('recipient', find(header, 'CessionarioCommittente')),
    }),
    taxDetails: taxes.map((one) =>
      tidy({
        tax_detail_rate: textAt(one, 'AliquotaIVA'),
        tax_detail_base: textAt(one, 'ImponibileImporto'),
        tax_detail_tax: textAt(one, 'Imposta'),
        tax_detail_code: textAt(one, 'Natura'),
      }),
    ),
    lineItems: findAll(body, 'DatiBeniServizi/DettaglioLinee').map((line) =>
      tidy({
        table_column_code: textAt(line, 'CodiceArticolo/CodiceValore'),
        table_column_description: textAt(line, 'Descrizione'),
        table_column_quantity: textAt(line, 'Quantita'),
        table_column_uom: textAt(line, 'UnitaMisura'),
        table_column_amount_base: textAt(line, 'PrezzoUnitario'),
        table_column_rate: textAt(line, 'AliquotaIVA'),
        table_column_amount_total_base: textAt(line, 'PrezzoTotale'),
      }),
    ),
    remarks: remarksOn(bodies),
  };
}

const remarksOn = (bodies: XmlElement[]): string[] =>
  bodies.length > 1
    ? [`The file holds ${bodies.length} invoices; only the first is read. Send each in a file of its own.`]
    : [];

/** The simplified invoice (FSM10): amounts with tax, and the tax or its rate beside each. Source: the same, annex B. */
export function readSimplified(root: XmlElement): EInvoice {
  const header = find(root, 'FatturaElettronicaHeader');
  const bodies = findAll(root, 'FatturaElettronicaBody');
  const general = find(bodies[0], 'DatiGenerali/DatiGeneraliDocumento');
  const lines = findAll(bodies[0], 'DatiBeniServizi').map((line) => {
    const total = readDecimal(textAt(line, 'Importo'));
    const rate = readDecimal(textAt(line, 'DatiIVA/Aliquota'));
    const share = (Number(total) * Number(rate)) / (100 + Number(rate));
    const tax = readDecimal(textAt(line, 'DatiIVA/Imposta')) ?? (rate && total ? share.toFixed(2) : undefined);
    return { description: textAt(line, 'Descrizione'), total, rate, tax, code: textAt(line, 'Natura') };
  });
  const addAll = (amounts: (string | undefined)[]) =>
    amounts.length > 0 && amounts.every((one) => one !== undefined)
      ? amounts.reduce((total, one) => total + Number(one), 0).toFixed(2)
      : undefined;
  const total = addAll(lines.map((line) => line.total));
  const tax = addAll(lines.map((line) => line.tax));
  const less = (whole: string | undefined, part: string | undefined) =>
    whole === undefined || part === undefined ? undefined : (Number(whole) - Number(part)).toFixed(2);
  const types: Record<string, string> = { TD08: 'credit_note', TD09: 'debit_note' };
  const buyer = find(header, 'CessionarioCommittente');
  return {
    syntax: 'FatturaPA',
    fields: tidy({
      document_id: textAt(general, 'Numero'),
      document_type: types[textAt(general, 'TipoDocumento') ?? ''] ?? 'tax_invoice',
      date_issue: textAt(general, 'Data'),
      currency: textAt(general, 'Divisa'),
      amount_total: total,
      amount_total_base: less(total, tax),
      amount_total_tax: tax,
      ...readSimpleParty('sender', find(header, 'CedentePrestatore'), find(header, 'CedentePrestatore')),
      ...readSimpleParty('recipient', find(buyer, 'IdentificativiFiscali'), find(buyer, 'AltriDatiIdentificativi')),
    }),
    taxDetails: lines.map((line) =>
      tidy({
        tax_detail_rate: line.rate,
        tax_detail_base: less(line.total, line.tax),
        tax_detail_tax: line.tax,
        tax_detail_code: line.code,
      }),
    ),
    lineItems: lines.map((line) =>
      tidy({
        table_column_description: line.description,
        table_column_rate: line.rate,
        table_column_amount_total: line.total,
      }),
    ),
    remarks: remarksOn(bodies),
  };
}

function readSimpleParty(
  role: 'sender' | 'recipient',
  numbers: XmlElement | undefined,
  named: XmlElement | undefined,
): Found {
  const name = [textAt(named, 'Nome'), textAt(named, 'Cognome')].filter(Boolean).join(' ');
  return {
    [`${role}_name`]: textAt(named, 'Denominazione') ?? (name || undefined),
    [`${role}_address`]: readSeat(find(named, 'Sede')),
    [`${role}_vat_id`]: readVatId(find(numbers, 'IdFiscaleIVA')),
    [`${role}_dic`]: textAt(numbers, 'CodiceFiscale'),
  };
}

function documentType(code: string | undefined): string | undefined {
  if (!code) return undefined;
  if (code === 'TD04' || code === 'TD08') return 'credit_note';
  return code === 'TD05' || code === 'TD09' ? 'debit_note' : 'tax_invoice';
}

function sum(elements: XmlElement[], name: string): string | undefined {
  const values = elements.flatMap((one) => readDecimal(textAt(one, name)) ?? []);
  return values.length > 0 ? values.reduce((total, one) => total + Number(one), 0).toFixed(2) : undefined;
}

const addUp = (a: string | undefined, b: string | undefined) =>
  a === undefined || b === undefined ? undefined : (Number(a) + Number(b)).toFixed(2);

function readParty(role: 'sender' | 'recipient', party: XmlElement | undefined): Found {
  const person = find(party, 'DatiAnagrafici/Anagrafica');
  const name = [textAt(person, 'Nome'), textAt(person, 'Cognome')].filter(Boolean).join(' ');
  return {
    [`${role}_name`]: textAt(person, 'Denominazione') ?? (name || undefined),
    [`${role}_address`]: readSeat(find(party, 'Sede')),
    [`${role}_vat_id`]: readVatId(find(party, 'DatiAnagrafici/IdFiscaleIVA')),
    [`${role}_dic`]: textAt(party, 'DatiAnagrafici/CodiceFiscale'),
  };
}

function readVatId(id: XmlElement | undefined): string | undefined {
  const [country, code] = [textAt(id, 'IdPaese'), textAt(id, 'IdCodice')];
  return country && code ? (code.startsWith(country) ? code : country + code) : undefined;
}

function readSeat(seat: XmlElement | undefined): string | undefined {
  const street = [textAt(seat, 'Indirizzo'), textAt(seat, 'NumeroCivico')].filter(Boolean).join(' ');
  const town = [textAt(seat, 'Comune'), textAt(seat, 'Provincia')].filter(Boolean).join(' ');
  return writeAddress([street], textAt(seat, 'CAP'), town);
}
