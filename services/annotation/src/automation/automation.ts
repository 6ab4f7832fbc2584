import { type ContentNode, checkContent, type Datapoint, type SchemaContent, schemaIndex } from '@intake/schema';

/** How a queue wants its documents automated. API: related-objects.md section 1. */
export interface AutomationRules {
  readonly enabled: boolean;
  /** `always`, `confident` or `never`. */
  readonly level: string;
  /** False: a duplicate is always shown to a person. */
  readonly automateDuplicates: boolean;
  /** False: what somebody proposes to cut is always shown to a person. */
  readonly automateSuggestedEdit?: boolean;
  readonly defaultScoreThreshold: number;
}

/** One reason, as the API shows it (API: related-objects.md section 2). */
export interface BlockerReason {
  readonly level: 'annotation' | 'datapoint';
  readonly type:
    | 'automation_disabled'
    | 'is_duplicate'
    | 'suggested_edit_present'
    | 'low_score'
    | 'failed_checks'
    | 'no_validation_sources'
    | 'error_message'
    | 'extension';
  readonly schema_id?: string;
  readonly samples?: readonly { readonly datapoint_id: number; readonly details?: Readonly<Record<string, unknown>> }[];
  readonly samples_truncated?: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What was decided, once, after the extraction. */
export interface Decision {
  readonly automated: boolean;
  /** Content, in which values that only stand in the way may have been cleared. */
  readonly nodes: readonly ContentNode[];
  /** Why not; empty when automated. */
  readonly reasons: readonly BlockerReason[];
}

const MOST_SAMPLES = 10;

/** Words about a datapoint (id as text) or the whole document (`all`). */
export interface Finding {
  readonly id: string;
  readonly content: string;
}

/** What is known of a document beside its content. */
export interface Circumstances {
  readonly isDuplicate: boolean;
  /** Somebody proposes to cut the document. */
  readonly hasSuggestedEdit?: boolean;
  /** Error messages of formulas, hooks and e-invoices. */
  readonly errors?: readonly Finding[];
  /** What formulas and hooks gave as reasons to show the document to a person. */
  readonly extensions?: readonly Finding[];
}

/** Decides whether a document passes its review by itself. API: related-objects.md section 1. */
export function decideAutomation(
  rules: AutomationRules,
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  { isDuplicate, hasSuggestedEdit = false, errors = [], extensions = [] }: Circumstances,
): Decision {
  if (!rules.enabled || (rules.level !== 'always' && rules.level !== 'confident')) {
    return { automated: false, nodes, reasons: [{ level: 'annotation', type: 'automation_disabled' }] };
  }
  const cleared = rules.level === 'always' ? clearOptionalErrors(schema, nodes) : nodes;
  const collector = new Reasons(schema, cleared);
  // Warnings too: a table with fewer rows than its schema expects is for a person (API: schemas.md section 2, multivalue).
  for (const { id } of checkContent(schema, cleared)) collector.add(Number(id), 'failed_checks', { validation: 'bad' });
  for (const [type, key, findings] of [
    ['error_message', 'message_content', errors],
    ['extension', 'content', extensions],
  ] as const) {
    const ids = new Set(findings.map(({ id }) => id));
    ids.delete('all');
    for (const id of ids) collector.add(Number(id), type, { [key]: textsAbout(id, findings) });
  }
  if (rules.level === 'confident') {
    for (const node of visibleDatapoints(schema, cleared)) {
      if (node.validationSources.length > 0) continue;
      const score = node.content?.rirConfidence ?? null;
      const threshold = collector.datapointOf(node)?.score_threshold ?? rules.defaultScoreThreshold;
      if (score !== null && score < threshold) collector.add(node.id, 'low_score', { score, threshold });
      else collector.add(node.id, 'no_validation_sources');
    }
  }
  const reasons: BlockerReason[] = [
    ...(isDuplicate && !rules.automateDuplicates ? [{ level: 'annotation', type: 'is_duplicate' } as const] : []),
    ...(hasSuggestedEdit && !rules.automateSuggestedEdit
      ? [{ level: 'annotation', type: 'suggested_edit_present' } as const]
      : []),
    ...ofDocument('error_message', 'message_content', errors),
    ...ofDocument('extension', 'content', extensions),
    ...collector.list(),
  ];
  return { automated: reasons.length === 0, nodes: reasons.length === 0 ? cleared : nodes, reasons };
}

function ofDocument(type: 'error_message' | 'extension', key: string, findings: readonly Finding[]): BlockerReason[] {
  const texts = textsAbout('all', findings);
  return texts.length > 0 ? [{ level: 'annotation', type, details: { [key]: texts } }] : [];
}

function textsAbout(id: string, findings: readonly Finding[]): string[] {
  return findings.filter((one) => one.id === id).map(({ content }) => content);
}

/** A value of a field that may be empty is not worth a person's time when it is wrong. */
function clearOptionalErrors(schema: SchemaContent, nodes: readonly ContentNode[]): readonly ContentNode[] {
  const { datapoints } = schemaIndex(schema);
  const wrong = new Set(
    checkContent(schema, nodes)
      .filter(({ type }) => type === 'error')
      .map(({ id }) => Number(id)),
  );
  return nodes.map((node) => {
    const isOptional = datapoints.get(node.schemaId)?.constraints?.required === false;
    if (!wrong.has(node.id) || !isOptional || !node.content) return node;
    return { ...node, content: { ...node.content, value: '', normalizedValue: null } };
  });
}

/** Datapoints that people see and that hold values. */
function visibleDatapoints(schema: SchemaContent, nodes: readonly ContentNode[]): ContentNode[] {
  const { datapoints } = schemaIndex(schema);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isHidden = (node: ContentNode | undefined): boolean =>
    node !== undefined && (node.hidden || (node.parentId !== null && isHidden(byId.get(node.parentId))));
  return nodes.filter((node) => {
    const datapoint = datapoints.get(node.schemaId);
    return datapoint !== undefined && datapoint.type !== 'button' && !isHidden(node);
  });
}

/** Collects reasons of datapoints, those of one field together. */
class Reasons {
  private readonly found = new Map<string, { type: BlockerReason['type']; schemaId: string; samples: Sample[] }>();
  private readonly nodes: ReadonlyMap<number, ContentNode>;
  private readonly datapoints: ReadonlyMap<string, Datapoint>;

  constructor(schema: SchemaContent, nodes: readonly ContentNode[]) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    this.datapoints = schemaIndex(schema).datapoints;
  }

  datapointOf(node: ContentNode): Datapoint | undefined {
    return this.datapoints.get(node.schemaId);
  }

  add(nodeId: number, type: BlockerReason['type'], details?: Record<string, unknown>): void {
    const schemaId = this.nodes.get(nodeId)?.schemaId ?? '';
    const key = `${type}/${schemaId}`;
    const known = this.found.get(key) ?? { type, schemaId, samples: [] };
    this.found.set(key, known);
    if (!known.samples.some((sample) => sample.datapoint_id === nodeId)) {
      known.samples.push({ datapoint_id: nodeId, ...(details && { details }) });
    }
  }

  list(): BlockerReason[] {
    return [...this.found.values()].map(({ type, schemaId, samples }) => ({
      level: 'datapoint',
      type,
      schema_id: schemaId,
      samples: samples.slice(0, MOST_SAMPLES),
      samples_truncated: samples.length > MOST_SAMPLES,
    }));
  }
}

interface Sample {
  datapoint_id: number;
  details?: Record<string, unknown>;
}
