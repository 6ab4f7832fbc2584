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
  return found(await labels.update(caller, id, { ...change, ...modifiedBy(caller) }));
}

/** Deletes a label. Caller: admin. */
export async function deleteLabel(caller: Caller, id: number, labels: LabelStore): Promise<void> {
  requireAdmin(caller);
  if (!(await labels.remove(caller, id))) throw new Refusal('NOT_FOUND');
}
