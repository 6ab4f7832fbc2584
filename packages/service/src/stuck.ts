/** Something that rests in a service, and should not for long. */
export interface Stuck {
  readonly id: string;
  readonly since: Date;
  /** What it waits for, for people. */
  readonly reason: string;
  readonly organizationId?: number;
}

/** One kind of work of a service, as operators see it. */
export interface StuckSource {
  /** Such as `annotation`. */
  readonly kind: string;
  /** What has rested since before `before`, longest first. */
  list(before: Date, limit: number): Promise<readonly Stuck[]>;
  /** Tries one again now; false when it is not there, or does not rest any more. */
  retry(id: string): Promise<boolean>;
}
