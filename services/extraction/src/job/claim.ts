import type { Job } from './job';
import type { JobStore } from './job.store';

/** The job is another worker's by now, or done: nothing more may be written for it. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';

  constructor() {
    super('the claim was lost');
  }
}

/**
 * Asked before anything of a job is written: a worker that stood still (stopped, its machine asleep) does not know that its
 * claim has ended.
 *
 * @throws ClaimLost
 */
export async function requireClaim(store: JobStore, job: Job): Promise<void> {
  if (!(await store.renew(job))) throw new ClaimLost();
}
