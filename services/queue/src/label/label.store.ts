import type { Backbone } from '@intake/bus';
import { createRows, type Rows } from '../row.store';
import type { Label } from './label';

/** Labels in MongoDB. */
export type LabelStore = Rows<Label>;

export function createLabelStore(backbone: Pick<Backbone, 'database' | 'ids'>): LabelStore {
  return createRows(backbone, {
    model: 'Label',
    collection: 'labels',
    fields: { name: String, color: String, modifiedById: Number, modifiedAt: Date },
    indexes: [[{ organizationId: 1, name: 1 }]],
    orderings: { id: '_id', name: 'name' },
  });
}
