import type { ContentNode, SchemaNode } from '../api/types';
import { isHidden, type SchemaIndex } from '../review/content';

/** A value of a document that somebody confirmed: how sure the engine was, and whether it was right. */
export interface PastValue {
  /** 0..1; null: the engine found nothing. */
  readonly confidence: number | null;
  /** The field's own threshold. */
  readonly threshold: number | null;
  /** Whatever the threshold: something else confirms the value, or only a person can. */
  readonly always: 'passes' | 'asks' | null;
  readonly isCorrected: boolean;
}

/** What a threshold would have meant for documents of the past. */
export interface Outcome {
  readonly documents: number;
  /** Documents in which every value would have passed. */
  readonly automated: number;
  /** Of these, documents with a value that somebody corrected. */
  readonly automatedWrong: number;
  readonly values: number;
  readonly passed: number;
  readonly passedWrong: number;
}

/** Sources that say nothing of what the engine alone would have had: a threshold, and a person. */
const OF_REVIEW = ['score', 'human'];

/** Ids of the fields whose values count: not what is hidden, computed, or a button. */
export function countedFields(index: SchemaIndex): string[] {
  return [...index.values()]
    .filter((node) => node.category === 'datapoint' && node.type !== 'button' && !node.hidden && !isFormula(node))
    .map(({ id }) => id);
}

/** The values of a document that count. */
export function pastValues(nodes: readonly ContentNode[], index: SchemaIndex): PastValue[] {
  return nodes.flatMap((node) => {
    const schema = index.get(node.schema_id);
    if (!schema || !node.content || isHidden(node, schema)) return [];
    const { value, rir_text: read, rir_confidence: confidence } = node.content;
    const others = (node.validation_sources ?? []).filter((source) => !OF_REVIEW.includes(source));
    const isSought = (schema.rir_field_names ?? []).length > 0;
    const asks = confidence === null && !isSought && schema.constraints?.required !== false;
    const passes = others.length > 0 || (confidence === null && !asks);
    return [
      {
        confidence,
        threshold: schema.score_threshold ?? null,
        always: passes ? ('passes' as const) : asks ? ('asks' as const) : null,
        isCorrected: value !== (read ?? schema.default_value ?? ''),
      },
    ];
  });
}

export function outcomeAt(documents: readonly (readonly PastValue[])[], threshold: number): Outcome {
  const passes = ({ confidence, threshold: own, always }: PastValue) =>
    always === null ? confidence !== null && confidence >= (own ?? threshold) : always === 'passes';
  const automated = documents.filter((values) => values.every(passes));
  const values = documents.flat();
  const passed = values.filter(passes);
  const wrong = ({ isCorrected }: PastValue) => isCorrected;
  return {
    documents: documents.length,
    automated: automated.length,
    automatedWrong: automated.filter((one) => one.some(wrong)).length,
    values: values.length,
    passed: passed.length,
    passedWrong: passed.filter(wrong).length,
  };
}

function isFormula({ ui_configuration: ui, formula }: SchemaNode): boolean {
  return ui?.type === 'formula' || formula !== undefined;
}
