import type { SchemaContent } from '../schema-content';
import { column, dateField, field, numberColumn, section, table } from './fields';

/** Delivery notes: what was delivered from whom to whom, without prices. */
export const DELIVERY_NOTE: SchemaContent = [
  section('basic_info_section', 'Basic information', [
    field('delivery_note_id', 'Delivery note number', {
      required: true,
      rir_field_names: ['delivery_note_id', 'document_id'],
    }),
    dateField('date_issue', 'Date', { required: true }),
    field('order_id', 'Order number'),
    field('sender_order_id', "Supplier's order number"),
  ]),
  section('vendor_section', 'Supplier', [
    field('sender_name', 'Name'),
    field('sender_address', 'Address'),
    field('supply_place', 'Place of supply'),
  ]),
  section('customer_section', 'Customer', [
    field('recipient_name', 'Name'),
    field('recipient_address', 'Address'),
    field('recipient_delivery_name', 'Delivered to'),
    field('recipient_delivery_address', 'Delivery address'),
    field('customer_id', 'Customer number'),
  ]),
  section('line_items_section', 'Goods', [
    table('line_items', 'Goods', 'line_item', 'Item', [
      column('item_code', 'Code', 'table_column_code', { width: 10 }),
      column('item_description', 'Description', 'table_column_description', { stretch: true }),
      numberColumn('item_quantity', 'Quantity', 'table_column_quantity', { aggregations: { sum: { label: 'Sum' } } }),
      column('item_uom', 'Unit', 'table_column_uom', { width: 8 }),
    ]),
  ]),
];
