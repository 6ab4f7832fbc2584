import { createOpenApi } from '../openapi/document';
import { type Route, route } from '../route';

/** The OpenAPI document of these routes, and of the one that answers it. */
export function openApiRoutes(others: readonly Route[]): Route[] {
  const own: Route[] = [
    route('GET', '/openapi.json', {
      allow: 'public',
      doc: { summary: 'This document', answer: { type: 'object' } },
      call: async () => undefined,
      reply: (_, { urls }) => createOpenApi([...others, ...own], urls.root),
    }),
  ];
  return own;
}
