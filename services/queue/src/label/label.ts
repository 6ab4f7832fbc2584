import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { found, type Modified, modifiedBy, UNMODIFIED } from '../change';
import { findNameProblem, refuseProblems } from '../fields';
import type { LabelStore } from './label.store';

/** What annotations are marked with. API: related-objects.md section 5. */
export interface Label extends Modified {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  /** `#` and three or six hex digits, or null. */
  readonly color: string | null;
}

/** What admins write of a label. */
export type LabelInput = Pick<Label, 'name' | 'color'>;

function check({ name, color }: Partial<LabelInput>): void {
  refuseProblems({
    name: name === undefined ? null : findNameProblem(name),
    color: !color || /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color) ? null : 'Enter a valid hex color such as #2e9f3c.',
  });
}

/** Makes a label in the caller's organization. Caller: admin. Field errors: `name`, `color`. */
export async function createLabel(caller: Caller, { name, color }: LabelInput, labels: LabelStore): Promise<Label> {
  requireAdmin(caller);
  check({ name, color });
  const id = await labels.nextId();
  const label = { id, organizationId: organizationOf(caller), name, color: color || null, ...UNMODIFIED };
  await labels.insert(label);
  return label;
}

/** Changes a label. Caller: admin. Field errors: `name`, `color`. */
export async function updateLabel(
  caller: Caller,
  id: number,
  change: Partial<LabelInput>,
  labels: LabelStore,
): Promise<Label> {
  requireAdmin(caller);
  check(change);
  const { color, ...rest } = change;
  const changed = { ...rest, ...(color !== undefined && { color: color || null }), ...modifiedBy(caller) };
  return found(await labels.update(caller, id, changed));
}

/** Deletes a label; annotations lose it soon after. Caller: admin. */
export async function deleteLabel(
  caller: Caller,
  id: number,
  { labels, backbone }: { readonly labels: LabelStore; readonly backbone: Pick<Backbone, 'database' | 'emit'> },
): Promise<void> {
  requireAdmin(caller);
  await transaction(backbone.database, async (session) => {
    if (!(await labels.remove(caller, id, session))) throw new Refusal('NOT_FOUND');
    backbone.emit(session, {
      subject: 'label.deleted',
      aggregate: `label:${id}`,
      version: 1,
      payload: { labelId: id, organizationId: organizationOf(caller) },
    });
  });
}
