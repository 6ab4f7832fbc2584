/** The objects of the API as JSON: how each is shown, and how those that are written are read. */
export * from './annotation';
export * from './attributes';
export * from './connector';
export * from './content';
export * from './document';
export * from './email';
export * from './hook';
export * from './inbox';
export * from './label';
export * from './organization';
export * from './queue';
export * from './related';
export * from './schema';
export * from './shapes';
export * from './usage-report';
export * from './values';
export * from './workspace';
