/** Where a node stands: at the top of the schema, or in a node of this category. */
export type Place = 'schema' | 'section' | 'multivalue' | 'tuple';
