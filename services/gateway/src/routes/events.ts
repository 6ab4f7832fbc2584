import { HEARTBEAT_MS, MOST_PER_USER } from '../events/event-streams';
import { Answer, route } from '../route';
import type { RouteContext } from './index';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // nginx would hold events back.
  'X-Accel-Buffering': 'no',
};

/** Changes of state as they happen, beside polling. docs/events.md. */
export function eventRoutes({ events, authenticator }: RouteContext) {
  return [
    route('GET', '/events', {
      allow: 'readAnnotations',
      doc: {
        media: 'text/event-stream',
        query: [
          {
            name: 'last_event_id',
            schema: { type: 'string' },
            description: 'Where the stream ended, as the header `Last-Event-ID`.',
          },
        ],
        summary: `Server-sent events (text/event-stream): "annotation", "suggested_edit" and "task" for each change that the caller may see. A comment every ${HEARTBEAT_MS / 1000} s; at most ${MOST_PER_USER} streams of a user.`,
      },
      call: async (request, caller) =>
        events.open({
          caller,
          urls: request.urls,
          lastEventId: request.header('last-event-id') || request.query.get('last_event_id'),
          identify: () =>
            authenticator.authenticate({ headers: request.http.headers, address: request.address }, false),
        }),
      reply: (stream) => new Answer(200, HEADERS, stream),
    }),
  ];
}
