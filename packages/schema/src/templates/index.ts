import type { SchemaContent } from '../schema-content';
import { CZ_INVOICE } from './cz-invoice';
import { DELIVERY_NOTE } from './delivery-note';
import { TAX_INVOICE_EU } from './tax-invoice-eu';
import { TAX_INVOICE_UK } from './tax-invoice-uk';
import { TAX_INVOICE_US } from './tax-invoice-us';

/** A schema to begin with. */
export interface SchemaTemplate {
  name: string;
  /** Shared by all callers: not to be modified. */
  content: SchemaContent;
}

const TEMPLATES: readonly (SchemaTemplate & { alias?: string })[] = [
  { name: 'Empty Organization Template', content: [] },
  { name: 'Tax Invoice EU Demo Template', alias: 'EU Demo Template', content: TAX_INVOICE_EU },
  { name: 'Tax Invoice US Demo Template', alias: 'US Demo Template', content: TAX_INVOICE_US },
  { name: 'Tax Invoice UK Demo Template', alias: 'UK Demo Template', content: TAX_INVOICE_UK },
  { name: 'CZ Demo Template', content: CZ_INVOICE },
  { name: 'Delivery Note Demo Template', content: DELIVERY_NOTE },
];

/** The template with a name or an old short name (API: schemas.md section 1); undefined for an unknown one. */
export function templateByName(name: string): SchemaTemplate | undefined {
  const found = TEMPLATES.find((template) => template.name === name || template.alias === name);
  return found && { name: found.name, content: found.content };
}
