import type { SchemaContent } from '../schema-content';
import { CURRENCIES, DOCUMENT_TYPES } from './choices';
import { column, dateField, enumField, field, numberColumn, numberField, section, table } from './fields';

const NUMBER = { format: '#,##0.#' };
const DATE = { format: 'MM/DD/YYYY' };

/** Invoices of suppliers in the United States: sales tax in one amount, dates with the month first. */
export const TAX_INVOICE_US: SchemaContent = [
  section('basic_info_section', 'Basic information', [
    field('document_id', 'Invoice number', { required: true }),
    dateField('date_issue', 'Invoice date', { required: true, ...DATE }),
    dateField('date_due', 'Due date', DATE),
    field('order_id', 'Purchase order number'),
    field('terms', 'Terms'),
    enumField('document_type', 'Document type', DOCUMENT_TYPES),
  ]),
  section('amounts_section', 'Amounts', [
    enumField('currency', 'Currency', CURRENCIES),
    numberField('amount_total', 'Total', { required: true, ...NUMBER }),
    numberField('amount_total_base', 'Subtotal', NUMBER),
    numberField('amount_total_tax', 'Sales tax', NUMBER),
    numberField('amount_paid', 'Amount paid', NUMBER),
    numberField('amount_due', 'Balance due', NUMBER),
  ]),
  section('payment_info_section', 'Payment', [
    field('account_num', 'Account number'),
    field('bank_num', 'Routing number'),
    field('bic', 'SWIFT'),
  ]),
  section('vendor_section', 'Vendor', [
    field('sender_name', 'Name'),
    field('sender_address', 'Remit-to address'),
    field('sender_dic', 'Tax ID'),
    field('sender_email', 'E-mail'),
  ]),
  section('customer_section', 'Bill to', [
    field('recipient_name', 'Name'),
    field('recipient_address', 'Address'),
    field('customer_id', 'Customer number'),
    field('recipient_delivery_name', 'Ship-to name'),
    field('recipient_delivery_address', 'Ship-to address'),
  ]),
  section('line_items_section', 'Line items', [
    table('line_items', 'Line items', 'line_item', 'Line item', [
      column('item_code', 'Item', 'table_column_code', { width: 10 }),
      column('item_description', 'Description', 'table_column_description', { stretch: true }),
      numberColumn('item_quantity', 'Quantity', 'table_column_quantity', NUMBER),
      column('item_uom', 'Unit', 'table_column_uom', { width: 8 }),
      numberColumn('item_amount_base', 'Unit price', 'table_column_amount_base', NUMBER),
      numberColumn('item_total_base', 'Amount', 'table_column_amount_total_base', {
        ...NUMBER,
        aggregations: { sum: { label: 'Sum' } },
      }),
    ]),
  ]),
];
