import type { Authenticator } from '../auth';
import type { EventStreams } from '../events/event-streams';
import type { Route } from '../route';
import type { Services } from '../services';
import { absentRoutes } from './absent';
import { accountRoutes } from './accounts';
import { annotationRoutes } from './annotations';
import { configurationRoutes } from './configuration';
import { contentRoutes } from './content';
import { documentRelationRoutes } from './document-relations';
import { documentRoutes } from './documents';
import { downloadRoutes } from './downloads';
import { emailTemplateRoutes } from './email-templates';
import { emailRoutes } from './emails';
import { eventRoutes } from './events';
import { exportRoutes } from './exports';
import { hookRoutes } from './hooks';
import { lessonRoutes } from './lessons';
import { createLookups, type Lookups } from './lookups';
import { openApiRoutes } from './openapi';
import { pageEditingRoutes } from './page-editing';
import { pageTextRoutes } from './page-text';
import { recipientRoutes } from './recipients';
import { registrationRoutes } from './registration';
import { relatedRoutes } from './related';
import { securityRoutes } from './security';
import { ssoRoutes } from './sso';
import { suggestedEditRoutes } from './suggested-edits';
import { uploadRoutes } from './uploads';
import { usageReportRoutes } from './usage-report';

/** What the routes stand on. */
export interface RouteContext {
  readonly services: Services;
  readonly lookups: Lookups;
  readonly authenticator: Authenticator;
  readonly events: EventStreams;
  /** Public host of the installation, for the answer to a login. */
  readonly domain: string | null;
  /** Key of registration; empty: nobody registers. */
  readonly createKey: string;
  /** Whether logins begin sessions of browsers. */
  readonly sessions: boolean;
}

/** Every endpoint. Where two paths match, the first wins: `/annotations/export` stands before `/annotations/:id`, `/hooks/logs` before `/hooks/:id`. */
export function createRoutes(options: Omit<RouteContext, 'lookups'>): Route[] {
  const context: RouteContext = { ...options, lookups: createLookups(options.services) };
  const routes = [
    ...accountRoutes(context),
    ...registrationRoutes(context),
    ...securityRoutes(context),
    ...ssoRoutes(context),
    ...hookRoutes(context),
    ...configurationRoutes(context),
    ...uploadRoutes(context),
    ...downloadRoutes(context),
    ...documentRoutes(context),
    ...documentRelationRoutes(context),
    ...exportRoutes(context),
    ...usageReportRoutes(context),
    ...annotationRoutes(context),
    ...contentRoutes(context),
    ...relatedRoutes(context),
    ...suggestedEditRoutes(context),
    ...pageTextRoutes(context),
    ...pageEditingRoutes(context),
    ...emailRoutes(context),
    ...emailTemplateRoutes(context),
    ...recipientRoutes(context),
    ...eventRoutes(context),
    ...lessonRoutes(context),
    ...absentRoutes(),
  ];
  return [...routes, ...openApiRoutes(routes)];
}
