/** Documents that are being given back: until that is done they are still called ours. */
const leaving = new Map<number, Promise<void>>();

/** A document is being given back; `done` ends with it. */
export function noteLeaving(annotationId: number, done: Promise<void>): void {
  leaving.set(annotationId, done);
  void done.finally(() => {
    if (leaving.get(annotationId) === done) leaving.delete(annotationId);
  });
}

/** Returns when a document that was left here has been given back. */
export const untilLeft = async (annotationId: number): Promise<void> => leaving.get(annotationId);

/** Returns when all documents that were left here have been given back. */
export const untilAllLeft = async (): Promise<void> => void (await Promise.allSettled(leaving.values()));
