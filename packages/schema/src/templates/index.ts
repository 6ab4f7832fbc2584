import type { SchemaContent } from '../schema-content';
import { TAX_INVOICE_EU } from './tax-invoice-eu';

/** A schema to begin with. */
export interface SchemaTemplate {
  name: string;
  /** Shared by all callers: not to be modified. */
  content: SchemaContent;
}

const TEMPLATES: readonly (SchemaTemplate & { alias?: string })[] = [
  { name: 'Tax Invoice EU Demo Template', alias: 'EU Demo Template', content: TAX_INVOICE_EU },
];

/** The template with a name or an old short name (API: schemas.md section 1); undefined for an unknown one. */
export function templateByName(name: string): SchemaTemplate | undefined {
  const found = TEMPLATES.find((template) => template.name === name || template.alias === name);
  return found && { name: found.name, content: found.content };
}
