import type { SchemaContent } from '../schema-content';
import { CURRENCIES, DOCUMENT_TYPES } from './choices';
import { column, dateField, enumField, field, numberColumn, numberField, section, table } from './fields';

const NUMBER = { format: '#,##0.#' };
const DATE = { format: 'DD/MM/YYYY' };

/** Invoices of suppliers in the United Kingdom. */
export const TAX_INVOICE_UK: SchemaContent = [
  section('basic_info_section', 'Basic information', [
    field('document_id', 'Invoice number', { required: true }),
    dateField('date_issue', 'Invoice date', { required: true, ...DATE }),
    dateField('date_uzp', 'Tax point', DATE),
    dateField('date_due', 'Due date', DATE),
    field('order_id', 'Purchase order number'),
    field('terms', 'Terms'),
    enumField('document_type', 'Document type', DOCUMENT_TYPES),
  ]),
  section('amounts_section', 'Amounts', [
    enumField('currency', 'Currency', CURRENCIES),
    numberField('amount_total', 'Total', { required: true, ...NUMBER }),
    numberField('amount_total_base', 'Net', NUMBER),
    numberField('amount_total_tax', 'VAT', NUMBER),
    numberField('amount_due', 'Amount due', NUMBER),
    table('tax_details', 'VAT rates', 'tax_detail', 'VAT rate', [
      numberColumn('tax_detail_rate', 'Rate', 'tax_detail_rate', NUMBER),
      numberColumn('tax_detail_base', 'Net', 'tax_detail_base', NUMBER),
      numberColumn('tax_detail_tax', 'VAT', 'tax_detail_tax', NUMBER),
    ]),
  ]),
  section('payment_info_section', 'Payment', [
    field('account_num', 'Account number'),
    field('bank_num', 'Sort code'),
    field('iban', 'IBAN'),
    field('bic', 'BIC/SWIFT'),
  ]),
  section('vendor_section', 'Supplier', [
    field('sender_name', 'Name'),
    field('sender_address', 'Address'),
    field('sender_ic', 'Company number'),
    field('sender_vat_id', 'VAT number'),
  ]),
  section('customer_section', 'Customer', [
    field('recipient_name', 'Name'),
    field('recipient_address', 'Address'),
    field('recipient_vat_id', 'VAT number'),
    field('customer_id', 'Customer number'),
  ]),
  section('line_items_section', 'Line items', [
    table('line_items', 'Line items', 'line_item', 'Line item', [
      column('item_code', 'Code', 'table_column_code', { width: 10 }),
      column('item_description', 'Description', 'table_column_description', { stretch: true }),
      numberColumn('item_quantity', 'Quantity', 'table_column_quantity', NUMBER),
      column('item_uom', 'Unit', 'table_column_uom', { width: 8 }),
      numberColumn('item_amount_base', 'Unit price', 'table_column_amount_base', NUMBER),
      numberColumn('item_rate', 'VAT rate', 'table_column_rate', NUMBER),
      numberColumn('item_total_base', 'Net', 'table_column_amount_total_base', {
        ...NUMBER,
        aggregations: { sum: { label: 'Sum' } },
      }),
      numberColumn('item_amount_total', 'Gross', 'table_column_amount_total', {
        ...NUMBER,
        aggregations: { sum: { label: 'Sum' } },
      }),
    ]),
  ]),
];
