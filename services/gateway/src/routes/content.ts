import { annotation as contract } from '@intake/contracts';
import {
  answers,
  boolean,
  contentToText,
  integer,
  listOf,
  MESSAGE_SCHEMA,
  messageToJson,
  nodeToJson,
  number,
  object,
  readNodes,
  reference,
  string,
} from '@intake/resources';
import { type Caller, invalidField } from '@intake/rpc';
import { z } from 'zod';
import { answersObject } from '../openapi/named-schema';
import { NODE } from '../openapi/objects';
import { documentFlags } from '../request/filters';
import { Answer, type ApiRequest, route } from '../route';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

const list = z.array(z.unknown());

/** One of these sets of actions, in any order. API: annotation-content.md section 6. */
const ACTIONS = ['user_update', 'updated,user_update', 'started,user_update'];

const nodeBody = z.object({
  content: object.nullish(),
  validation_sources: z.array(string(255)).optional(),
  hidden: boolean.optional(),
  options: z.array(object).nullish(),
  time_spent: number.optional(),
  time_spent_overall: number.optional(),
  time_spent_grid: number.optional(),
  time_spent_grid_overall: number.optional(),
  no_recalculation: boolean.optional(),
});

const gridPartsBody = z.object({
  grid_index: number,
  grid: object,
  operations: z.object({ rows: list.optional(), columns: list.optional() }).optional(),
});

const validateBody = z.object({
  actions: z.array(string(50)).optional(),
  updated_datapoint_ids: z.array(integer()).optional(),
  operations: list.optional(),
  op: z.unknown().optional(),
  id: z.unknown().optional(),
  value: z.unknown().optional(),
});

const TREE = { content: listOf(answers.object), results: listOf(answers.object) };

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** A table of thousands of rows takes seconds to be written and read. */
const TREE_MS = 60_000;

/** A validation waits for a connector and for hooks, one after the other. API: limits.md. */
const VALIDATE_MS = 150_000;

/** Content of annotations. API: annotation-content.md. */
export function contentRoutes({ services }: RouteContext) {
  const annotations = services.annotation;

  const tree = ({ treeJson }: { treeJson: string }, { parameters, urls }: ApiRequest<{ id: number }>) =>
    new Answer(200, JSON_TYPE, contentToText(treeJson, parameters.id, urls));
  const node = ({ treeJson }: { treeJson: string }, { parameters, urls }: ApiRequest<{ id: number }>) =>
    nodeToJson(onlyOne(readNodes(treeJson)), parameters.id, urls);

  const editGrid = (
    { id: annotationId, node: nodeId }: { readonly id: number; readonly node: number },
    kind: contract.EditGridRequest_Kind,
    bodyJson: string,
    caller: Caller,
  ) => annotations.editGrid({ annotationId, nodeId, kind, bodyJson }, caller, { timeoutMs: TREE_MS });

  return [
    route('GET', '/annotations/:id/content', {
      allow: 'readAnnotations',
      doc: answersObject('The content tree', TREE),
      timeoutMs: TREE_MS,
      call: ({ parameters }, caller) =>
        annotations.getContent({ annotationId: parameters.id }, caller, { timeoutMs: TREE_MS }),
      reply: tree,
    }),
    route('PATCH', '/annotations/:id/content', {
      allow: 'review',
      doc: answersObject('Change several values', TREE),
      body: z.object({ content: list }),
      timeoutMs: TREE_MS,
      call: ({ parameters, body }, caller) =>
        annotations.patchContent({ annotationId: parameters.id, treeJson: JSON.stringify(body.content) }, caller, {
          timeoutMs: TREE_MS,
        }),
      reply: tree,
    }),
    route('POST', '/annotations/:id/content/operations', {
      allow: 'review',
      doc: answersObject('Replace, add and remove several nodes', TREE),
      body: z.object({ operations: list }),
      timeoutMs: TREE_MS,
      call: ({ parameters, body }, caller) =>
        annotations.applyOperations(
          { annotationId: parameters.id, operationsJson: JSON.stringify(body.operations) },
          caller,
          { timeoutMs: TREE_MS },
        ),
      reply: tree,
    }),
    route('POST', '/annotations/:id/content/validate', {
      allow: 'review',
      doc: answersObject(
        'Check the content: messages, formulas, connector and hooks',
        {
          messages: listOf(MESSAGE_SCHEMA),
          updated_datapoints: listOf(NODE.ref),
          suggested_operations: listOf(answers.object),
          matched_trigger_rules: listOf(answers.object),
        },
        { components: NODE.components, query: documentFlags('messages_for_hidden_datapoints') },
      ),
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
      doc: NODE.one('Take the words of a frame as the value'),
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
      doc: NODE.one('Add an empty item to a multivalue'),
      call: ({ parameters }, caller) =>
        annotations.addEmptyItem({ annotationId: parameters.id, nodeId: parameters.node }, caller),
      reply: node,
    }),
    route('POST', '/annotations/:id/content/:node/transform_grid_to_datapoints', {
      allow: 'review',
      timeoutMs: TREE_MS,
      doc: answersObject('Make the rows of a table anew from its grid', { content: listOf(answers.object) }),
      call: ({ parameters }, caller) => editGrid(parameters, contract.EditGridRequest_Kind.TRANSFORM, '', caller),
      reply: ({ treeJson }, { parameters, urls }) => {
        const [table] = readNodes(treeJson);
        return { content: (table?.children ?? []).map((row) => nodeToJson(row, parameters.id, urls)) };
      },
    }),
    route('POST', '/annotations/:id/content/:node/grid_operations', {
      allow: 'review',
      body: z.object({ operations: list }),
      timeoutMs: TREE_MS,
      doc: NODE.one('Make, change or remove parts of the grid of a table'),
      call: ({ parameters, body }, caller) =>
        editGrid(parameters, contract.EditGridRequest_Kind.PARTS, JSON.stringify(body), caller),
      reply: node,
    }),
    route('POST', '/annotations/:id/content/:node/grid_parts_operations', {
      allow: 'review',
      body: gridPartsBody,
      timeoutMs: TREE_MS,
      doc: NODE.one('Change rows and columns of a part of the grid of a table'),
      call: ({ parameters, body }, caller) =>
        editGrid(parameters, contract.EditGridRequest_Kind.LINES, JSON.stringify(body), caller),
      reply: node,
    }),
    route('GET', '/annotations/:id/content/:node', {
      allow: 'readAnnotations',
      doc: NODE.one('Retrieve a node of the content'),
      call: ({ parameters }, caller) =>
        annotations.getContentNode({ annotationId: parameters.id, nodeId: parameters.node }, caller),
      reply: node,
    }),
    route('PATCH', '/annotations/:id/content/:node', {
      allow: 'review',
      doc: NODE.one('Change a value'),
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
