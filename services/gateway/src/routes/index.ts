import type { Authenticator } from '../auth';
import type { Route } from '../route';
import type { Services } from '../services';
import { absentRoutes } from './absent';
import { accountRoutes } from './accounts';
import { annotationRoutes } from './annotations';
import { configurationRoutes } from './configuration';
import { contentRoutes } from './content';
import { documentRoutes } from './documents';
import { emailRoutes } from './emails';
import { exportRoutes } from './exports';
import { createLookups, type Lookups } from './lookups';
import { securityRoutes } from './security';
import { uploadRoutes } from './uploads';
import { usageReportRoutes } from './usage-report';

/** What the routes stand on. */
export interface RouteContext {
  readonly services: Services;
  readonly lookups: Lookups;
  readonly authenticator: Authenticator;
  /** Public host of the installation, for the answer to a login. */
  readonly domain: string | null;
}

/** Every endpoint. Where two paths match, the first wins: `/annotations/export` stands before `/annotations/:id`. */
export function createRoutes(options: Omit<RouteContext, 'lookups'>): Route[] {
  const context: RouteContext = { ...options, lookups: createLookups(options.services) };
  return [
    ...accountRoutes(context),
    ...securityRoutes(context),
    ...configurationRoutes(context),
    ...uploadRoutes(context),
    ...documentRoutes(context),
    ...exportRoutes(context),
    ...usageReportRoutes(context),
    ...annotationRoutes(context),
    ...contentRoutes(context),
    ...emailRoutes(context),
    ...absentRoutes(),
  ];
}
