/**
 * The queue-schema language: checking of schemas, content trees of annotations, and everything that is done to them.
 *
 * Pure: no input or output, no clock, no environment. Nothing that is given is ever modified.
 */
export { checkSchemaContent } from './checking/check-schema';
export type { FieldErrors } from './checking/field-errors';
export { cleanSchemaContent } from './clean-schema';
export { aggregateContent } from './content/aggregations';
export { buildNodes } from './content/build-nodes';
export { checkContent } from './content/check-content';
export { compareContent } from './content/compare-content';
export type { ContentChange, ContentErrors, ContentResult } from './content/content-change';
export {
  type Box,
  type ContentNode,
  type DatapointContent,
  emptyContent,
  MAX_VALUE_LENGTH,
} from './content/content-node';
export { type ContentSize, findSizeProblem, MAX_CHARACTERS, MAX_NODES, sizeOf } from './content/content-size';
export {
  type ApiContentNode,
  type ContentTreeNode,
  nodesToTree,
  renderNode,
  renderNodes,
  renderTree,
} from './content/content-tree';
export {
  type ExportDatapoint,
  type ExportedNode,
  type ExportGroup,
  type ExportNode,
  exportTree,
} from './content/export-tree';
export { engineNameOf, sourcesOf } from './content/first-value';
export type { ContentMessage, FormulaDetail } from './content/message';
export { type MigrationOptions, migrateContent } from './content/migrate';
export { addEmptyItem, applyOperations } from './content/operations';
export { patchNode, patchTree } from './content/patch';
export { type Selection, selectText } from './content/select-text';
export type { SourceCandidate, SourceRow, Sources } from './content/sources';
export type { WriteContext } from './content/write-context';
export { formatDate, parseDate } from './formats/date-format';
export { type NormalizedValue, normalizeValue } from './formats/normalize-value';
export { formatNumber, parseNumber } from './formats/number-format';
export {
  concernsFormulas,
  evaluateFormulas,
  type FormulaOptions,
  type FormulaResult,
  withFormulas,
} from './formula/evaluate';
export { applyGridOperations, applyGridPartsOperations, transformGrid } from './grid/grid-operations';
export { renumberGrid } from './grid/grid-part';
export type { GridContext, ReadCell } from './grid/table-draft';
export { findRegexpProblem } from './regexp';
export type * from './schema-content';
export { childrenOf, type SchemaIndex, schemaIndex } from './schema-index';
export { type SchemaTemplate, templateByName } from './templates';
