import type { SchemaContent } from '../schema-content';
import { CURRENCIES, DOCUMENT_TYPES } from './choices';
import { column, dateField, enumField, field, numberColumn, numberField, section, table } from './fields';

const NUMBER = { format: '# ##0,#' };
const DATE = { format: 'D. M. YYYY' };

/** Invoices of Czech suppliers, with the symbols of their payments. */
export const CZ_INVOICE: SchemaContent = [
  section('basic_info_section', 'Základní údaje', [
    field('document_id', 'Číslo faktury', { required: true }),
    dateField('date_issue', 'Datum vystavení', { required: true, ...DATE }),
    dateField('date_due', 'Datum splatnosti', DATE),
    dateField('date_uzp', 'Datum uskutečnění zdanitelného plnění', DATE),
    field('order_id', 'Číslo objednávky'),
    enumField('document_type', 'Druh dokladu', DOCUMENT_TYPES),
  ]),
  section('amounts_section', 'Částky', [
    enumField('currency', 'Měna', CURRENCIES),
    numberField('amount_total', 'Celkem', { required: true, ...NUMBER }),
    numberField('amount_total_base', 'Celkem bez DPH', NUMBER),
    numberField('amount_total_tax', 'DPH celkem', NUMBER),
    numberField('amount_rounding', 'Zaokrouhlení', NUMBER),
    numberField('amount_due', 'K úhradě', NUMBER),
    table('tax_details', 'Rekapitulace DPH', 'tax_detail', 'Sazba DPH', [
      numberColumn('tax_detail_rate', 'Sazba', 'tax_detail_rate', NUMBER),
      numberColumn('tax_detail_base', 'Základ', 'tax_detail_base', NUMBER),
      numberColumn('tax_detail_tax', 'DPH', 'tax_detail_tax', NUMBER),
      numberColumn('tax_detail_total', 'Celkem', 'tax_detail_total', NUMBER),
    ]),
  ]),
  section('payment_info_section', 'Platební údaje', [
    field('account_num', 'Číslo účtu'),
    field('bank_num', 'Kód banky'),
    field('iban', 'IBAN'),
    field('bic', 'BIC/SWIFT'),
    field('var_sym', 'Variabilní symbol'),
    field('const_sym', 'Konstantní symbol'),
    field('spec_sym', 'Specifický symbol'),
    field('terms', 'Platební podmínky'),
  ]),
  section('vendor_section', 'Dodavatel', [
    field('sender_name', 'Název'),
    field('sender_address', 'Adresa'),
    field('sender_ic', 'IČO'),
    field('sender_dic', 'DIČ'),
  ]),
  section('customer_section', 'Odběratel', [
    field('recipient_name', 'Název'),
    field('recipient_address', 'Adresa'),
    field('recipient_ic', 'IČO'),
    field('recipient_dic', 'DIČ'),
  ]),
  section('line_items_section', 'Položky', [
    table('line_items', 'Položky', 'line_item', 'Položka', [
      column('item_code', 'Kód', 'table_column_code', { width: 10 }),
      column('item_description', 'Popis', 'table_column_description', { stretch: true }),
      numberColumn('item_quantity', 'Množství', 'table_column_quantity', NUMBER),
      column('item_uom', 'Jednotka', 'table_column_uom', { width: 8 }),
      numberColumn('item_rate', 'Sazba DPH', 'table_column_rate', NUMBER),
      numberColumn('item_amount_base', 'Cena bez DPH', 'table_column_amount_base', NUMBER),
      numberColumn('item_total_base', 'Celkem bez DPH', 'table_column_amount_total_base', {
        ...NUMBER,
        aggregations: { sum: { label: 'Součet' } },
      }),
      numberColumn('item_amount_total', 'Celkem s DPH', 'table_column_amount_total', {
        ...NUMBER,
        aggregations: { sum: { label: 'Součet' } },
      }),
    ]),
  ]),
];
