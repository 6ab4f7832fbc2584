/** What can be ordered by: API key -> stored field. API: annotations.md sections 2 and 9. */
const FIELDS: Readonly<Record<string, string>> = {
  id: '_id',
  document: 'documentId',
  document__arrived_at: 'arrivedAt',
  document__original_file_name: 'fileName',
  original_file_name: 'fileName',
  queue: 'queueId',
  status: 'status',
  arrived_at: 'arrivedAt',
  created_at: 'createdAt',
  modifier: 'modifierId',
  modified_by: 'modifierId',
  creator: 'creatorId',
  assigned_at: 'assignedAt',
  confirmed_at: 'confirmedAt',
  modified_at: 'modifiedAt',
  exported_at: 'exportedAt',
  export_failed_at: 'exportFailedAt',
  purged_at: 'purgedAt',
  rejected_at: 'rejectedAt',
  deleted_at: 'deletedAt',
  confirmed_by: 'confirmedById',
  deleted_by: 'deletedById',
  exported_by: 'exportedById',
  purged_by: 'purgedById',
  rejected_by: 'rejectedById',
  automated: 'automated',
  rir_poll_id: 'rirPollId',
  assignees: 'assigneeIds',
  labels: 'labelIds',
};

/** Every annotation has a value here: nothing is last because it is empty. */
const ALWAYS_THERE = ['_id', 'documentId', 'arrivedAt', 'fileName', 'queueId', 'status', 'createdAt', 'automated'];

const RELATION = /^-?relations__(key|parent|type)$/;

const FIELD_TYPES: Readonly<Record<string, string>> = { string: 'text', number: 'number', date: 'date' };

/** Values of an order that other services know; by ids. */
export interface OrderValues {
  /** Of queues (`workspace`), or of the e-mails that brought annotations. */
  readonly values: Readonly<Record<number, number>>;
  /** Of annotations that no e-mail brought. */
  readonly annotations: Readonly<Record<number, number>>;
}

/** What `ordering` refers to beside the annotations themselves. */
export interface OrderContext {
  /** Ids of users in the order of their names. */
  readonly usersByName: readonly number[];
  /** By key of `ordering`. */
  readonly orderValues: Readonly<Record<string, OrderValues>>;
}

/** How rows are ordered in MongoDB. */
export interface Order {
  /** Whether the relations of each annotation are to be there as `orderRelations`. */
  readonly needsRelations: boolean;
  readonly sort: Record<string, 1 | -1>;
  /** Values that are computed for it. */
  readonly computed: Record<string, unknown> | null;
}

/**
 * The order that `ordering` asks for. Unknown keys are ignored, what is empty is last in both directions, and the id decides at
 * the end, in the direction of the last key. Of several relations the one that comes first in the wanted direction counts.
 */
export function toOrder(ordering: readonly string[], context: OrderContext): Order {
  const sort: Record<string, 1 | -1> = {};
  const computed: Record<string, unknown> = {};
  let last: 1 | -1 = 1;
  const add = (key: string, direction: 1 | -1) => {
    if (!(key in sort)) sort[key] = direction;
  };
  ordering.forEach((key, i) => {
    const direction = key.startsWith('-') ? -1 : 1;
    const name = key.replace(/^-/, '');
    const value = keyOf(name, context);
    if (value === null) return;
    last = direction;
    if (typeof value === 'string' && (direction === -1 || ALWAYS_THERE.includes(value))) {
      add(value, direction);
      return;
    }
    const known = typeof value === 'string' ? `$${value}` : value;
    computed[`order${i}`] = known;
    computed[`empty${i}`] = { $in: [{ $ifNull: [known, null] }, [null, []]] };
    add(`empty${i}`, 1);
    add(`order${i}`, direction);
  });
  if (!('_id' in sort)) sort._id = last;
  const needsRelations = ordering.some((key) => RELATION.test(key));
  return { needsRelations, sort, computed: Object.keys(computed).length > 0 ? computed : null };
}

/** A stored field, or an expression; null: not to be ordered by. */
function keyOf(name: string, { usersByName, orderValues }: OrderContext): string | Record<string, unknown> | null {
  if (Object.hasOwn(orderValues, name)) {
    const none = name.startsWith('has_') ? 0 : null;
    const { values, annotations } = orderValues[name] as OrderValues;
    if (name === 'workspace') return valueById('$queueId', values, none);
    const isByEmail = { $ne: [{ $ifNull: ['$emailId', null] }, null] };
    return { $cond: [isByEmail, valueById('$emailId', values, none), valueById('$_id', annotations, none)] };
  }
  const [, relation] = RELATION.exec(name) ?? [];
  if (relation !== undefined) {
    const all = `$orderRelations.${relation === 'parent' ? 'parentId' : relation}`;
    return { $filter: { input: all, as: 'one', cond: { $ne: ['$$one', null] } } };
  }
  if (Object.hasOwn(FIELDS, name)) return FIELDS[name] ?? null;
  const [, person] = /^(\w+)__username$/.exec(name) ?? [];
  if (person !== undefined) {
    const field = Object.hasOwn(FIELDS, person) ? FIELDS[person] : undefined;
    if (!field?.endsWith('Id') || ALWAYS_THERE.includes(field)) return null;
    const rank = { $indexOfArray: [[...usersByName], `$${field}`] };
    return { $cond: [{ $eq: [rank, -1] }, null, rank] };
  }
  const [, id, type] = /^field\.(.+)\.(string|number|date)$/.exec(name) ?? [];
  if (id === undefined || type === undefined) return null;
  const key = FIELD_TYPES[type] ?? 'text';
  const own = { $eq: ['$$one.id', { $literal: id }] };
  const values = {
    $filter: { input: { $ifNull: ['$contentFields', []] }, as: 'one', cond: own },
  };
  return { $let: { vars: { first: { $first: values } }, in: `$$first.${key}` } };
}

/** The value of an id; MongoDB looks a constant list up by hash. */
function valueById(id: string, values: Readonly<Record<number, number>>, none: 0 | null): Record<string, unknown> {
  const place = { $indexOfArray: [{ $literal: Object.keys(values).map(Number) }, id] };
  const value = { $arrayElemAt: [{ $literal: Object.values(values) }, '$$place'] };
  return { $let: { vars: { place }, in: { $cond: [{ $eq: ['$$place', -1] }, none, value] } } };
}
