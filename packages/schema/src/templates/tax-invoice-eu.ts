import type { SchemaContent } from '../schema-content';
import { CURRENCIES, DOCUMENT_TYPES, LANGUAGES } from './choices';
import { column, dateField, enumField, field, numberColumn, numberField, section, table } from './fields';

/** Invoices of European suppliers; also the schema of the queue that a new installation gets. */
export const TAX_INVOICE_EU: SchemaContent = [
  section('basic_info_section', 'Basic information', [
    field('document_id', 'Invoice number', { required: true }),
    dateField('date_issue', 'Issue date', { required: true }),
    dateField('date_due', 'Due date'),
    dateField('date_uzp', 'Tax point date'),
    field('order_id', 'Order number'),
    enumField('document_type', 'Document type', DOCUMENT_TYPES),
    enumField('language', 'Language', LANGUAGES),
  ]),
  section('amounts_section', 'Amounts', [
    enumField('currency', 'Currency', CURRENCIES),
    numberField('amount_total', 'Total amount', { required: true }),
    numberField('amount_total_base', 'Total without tax'),
    numberField('amount_total_tax', 'Total tax'),
    numberField('amount_due', 'Amount due'),
    table('tax_details', 'Tax details', 'tax_detail', 'Tax rate', [
      numberColumn('tax_detail_rate', 'Rate', 'tax_detail_rate'),
      numberColumn('tax_detail_base', 'Base', 'tax_detail_base'),
      numberColumn('tax_detail_tax', 'Tax', 'tax_detail_tax'),
      numberColumn('tax_detail_total', 'Total', 'tax_detail_total'),
    ]),
  ]),
  section('payment_info_section', 'Payment', [
    field('iban', 'IBAN'),
    field('bic', 'BIC/SWIFT'),
    field('account_num', 'Account number'),
    field('bank_num', 'Bank code'),
    field('var_sym', 'Payment reference'),
    field('terms', 'Payment terms'),
  ]),
  section('vendor_section', 'Vendor', [
    field('sender_name', 'Name'),
    field('sender_address', 'Address'),
    field('sender_ic', 'Company number'),
    field('sender_vat_id', 'VAT number'),
  ]),
  section('customer_section', 'Customer', [
    field('recipient_name', 'Name'),
    field('recipient_address', 'Address'),
    field('recipient_ic', 'Company number'),
    field('recipient_vat_id', 'VAT number'),
    field('customer_id', 'Customer number'),
  ]),
  section('line_items_section', 'Line items', [
    table('line_items', 'Line items', 'line_item', 'Line item', [
      column('item_code', 'Code', 'table_column_code', { width: 10 }),
      column('item_description', 'Description', 'table_column_description', { stretch: true }),
      numberColumn('item_quantity', 'Quantity', 'table_column_quantity'),
      column('item_uom', 'Unit', 'table_column_uom', { width: 8 }),
      numberColumn('item_rate', 'Tax rate', 'table_column_rate'),
      numberColumn('item_amount_base', 'Unit price without tax', 'table_column_amount_base'),
      numberColumn('item_tax', 'Unit tax', 'table_column_tax'),
      numberColumn('item_amount', 'Unit price with tax', 'table_column_amount'),
      numberColumn('item_total_base', 'Total without tax', 'table_column_amount_total_base', {
        aggregations: { sum: { label: 'Sum' } },
      }),
      numberColumn('item_amount_total', 'Total with tax', 'table_column_amount_total', {
        aggregations: { sum: { label: 'Sum' } },
      }),
    ]),
  ]),
];
