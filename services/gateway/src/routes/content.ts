import {
  boolean,
  contentToJson,
  messageToJson,
  nodeToJson,
  number,
  object,
  readNodes,
  reference,
  string,
} from '@intake/resources';
import { invalidField } from '@intake/rpc';
import { z } from 'zod';
import { type ApiRequest, route } from '../route';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

const list = z.array(z.unknown());

/** One of these sets of actions, in any order. API: annotation-content.md section 6. */
const ACTIONS = ['user_update', 'updated,user_update', 'started,user_update'];

const nodeBody = z.object({
  content: object.nullish(),
  validation_sources: z.array(string(255)).optional(),
  hidden: boolean.optional(),
  options: z.array(object).optional(),
  time_spent: number.optional(),
  time_spent_overall: number.optional(),
  no_recalculation: boolean.optional(),
});

const validateBody = z.object({
  actions: z.array(string(50)).optional(),
  updated_datapoint_ids: z
    .array(z.preprocess((id) => (typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id), z.int()))
    .optional(),
  operations: list.optional(),
  op: z.unknown().optional(),
  id: z.unknown().optional(),
  value: z.unknown().optional(),
});

/** A validation waits for a connector and for hooks, one after the other. API: limits.md. */
const VALIDATE_MS = 150_000;

/** Content of annotations. API: annotation-content.md. */
export function contentRoutes({ services }: RouteContext) {
  const annotations = services.annotation;

  const tree = ({ treeJson }: { treeJson: string }, { parameters, urls }: ApiRequest<{ id: number }>) =>
    contentToJson(treeJson, parameters.id, urls);
  const node = ({ treeJson }: { treeJson: string }, { parameters, urls }: ApiRequest<{ id: number }>) =>
    nodeToJson(onlyOne(readNodes(treeJson)), parameters.id, urls);

  return [
    route('GET', '/annotations/:id/content', {
      allow: 'readAnnotations',
      call: ({ parameters }, caller) => annotations.getContent({ annotationId: parameters.id }, caller),
      reply: tree,
    }),
    route('PATCH', '/annotations/:id/content', {
      allow: 'review',
      body: z.object({ content: list }),
      call: ({ parameters, body }, caller) =>
        annotations.patchContent({ annotationId: parameters.id, treeJson: JSON.stringify(body.content) }, caller),
      reply: tree,
    }),
    route('POST', '/annotations/:id/content/operations', {
      allow: 'review',
      body: z.object({ operations: list }),
      call: ({ parameters, body }, caller) =>
        annotations.applyOperations(
          { annotationId: parameters.id, operationsJson: JSON.stringify(body.operations) },
          caller,
        ),
      reply: tree,
    }),
    route('POST', '/annotations/:id/content/validate', {
      allow: 'review',
      body: validateBody,
      timeoutMs: VALIDATE_MS,
      call: ({ parameters, query, body }, caller) => {
        const messagesForHiddenDatapoints = query.boolean('messages_for_hidden_datapoints') ?? false;
        query.check();
        const { actions = ['user_update'], updated_datapoint_ids: updatedDatapointIds = [], op, id, value } = body;
        if (!ACTIONS.includes([...new Set(actions)].sort().join())) {
          throw invalidField('actions', `Selected actions: [${actions.join(', ')}] not allowed.`);
        }
        const operations = body.operations ?? (op === undefined ? [] : [{ op, id, value }]);
        return annotations.validateContent(
          {
            annotationId: parameters.id,
            actions,
            updatedDatapointIds,
            operationsJson: JSON.stringify(operations),
            messagesForHiddenDatapoints,
          },
          caller,
          { timeoutMs: VALIDATE_MS },
        );
      },
      reply: ({ messages, updatedDatapointsJson }, { parameters, urls }) => ({
        messages: messages.map(messageToJson),
        updated_datapoints: readNodes(updatedDatapointsJson).map((one) => nodeToJson(one, parameters.id, urls)),
        suggested_operations: [],
        matched_trigger_rules: [],
      }),
    }),
    route('POST', '/annotations/:id/content/:node/select', {
      allow: 'review',
      body: z.object({ rectangle: z.array(number).length(4), page: reference('pages') }),
      call: ({ parameters, body }, caller) =>
        annotations.selectText(
          { annotationId: parameters.id, nodeId: parameters.node, pageId: body.page, rectangle: body.rectangle },
          caller,
        ),
      reply: node,
    }),
    route('POST', '/annotations/:id/content/:node/add_empty', {
      allow: 'review',
      call: ({ parameters }, caller) =>
        annotations.addEmptyItem({ annotationId: parameters.id, nodeId: parameters.node }, caller),
      reply: node,
    }),
    route('GET', '/annotations/:id/content/:node', {
      allow: 'readAnnotations',
      call: ({ parameters }, caller) =>
        annotations.getContentNode({ annotationId: parameters.id, nodeId: parameters.node }, caller),
      reply: node,
    }),
    route('PATCH', '/annotations/:id/content/:node', {
      allow: 'review',
      body: nodeBody,
      call: ({ parameters, body }, caller) =>
        annotations.patchContentNode(
          { annotationId: parameters.id, nodeId: parameters.node, patchJson: JSON.stringify(body) },
          caller,
        ),
      reply: node,
    }),
  ];
}
