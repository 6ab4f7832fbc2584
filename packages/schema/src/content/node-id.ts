/** The id of a node as clients send it: an integer, or its decimal text. Null for anything else. */
export function nodeIdFrom(raw: unknown): number | null {
  const id = typeof raw === 'string' && /^\d{1,16}$/.test(raw) ? Number(raw) : raw;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}

export function notFound(id: number): string {
  return `Datapoint ${id} not found.`;
}
