import type { Datapoint, SchemaNode } from '../schema-content';
import { type ContentNode, emptyContent } from './content-node';

/** A node of the schema without a value, as it stands in a new tree. Buttons hold no content. */
export function newNode(schemaNode: SchemaNode, id: number, parentId: number | null, index: number): ContentNode {
  const isButton = schemaNode.category === 'datapoint' && schemaNode.type === 'button';
  const isTable = schemaNode.category === 'multivalue' && schemaNode.children.category === 'tuple';
  return {
    id,
    parentId,
    index,
    category: schemaNode.category,
    schemaId: schemaNode.id,
    content: schemaNode.category === 'datapoint' && !isButton ? emptyContent() : null,
    validationSources: isButton ? ['NA'] : [],
    hidden: schemaNode.category !== 'section' && schemaNode.hidden === true,
    timeSpent: 0,
    timeSpentOverall: 0,
    ...(schemaNode.category === 'multivalue' ? { timeSpentGrid: 0, timeSpentGridOverall: 0 } : {}),
    ...(isTable ? { grid: null } : {}),
    ...(schemaNode.category === 'datapoint' && isEditableFormula(schemaNode) ? { noRecalculation: false } : {}),
  };
}

/** Whether people may overwrite what the formula says. */
export function isEditableFormula({ ui_configuration: ui }: Datapoint): boolean {
  return ui?.type === 'formula' && ui.edit !== 'disabled';
}
