/** What a client polls while something it asked for goes on. API: documents-and-uploads.md section 3. */
export interface Task {
  readonly id: number;
  readonly organizationId: number;
  readonly creatorId: number | null;
  readonly type: TaskType;
  readonly status: 'running' | 'succeeded' | 'failed';
  readonly expiresAt: Date;
  /** Of a failed task: what happened. */
  readonly detail: string | null;
  readonly code: string | null;
  readonly uploadId: number | null;
  readonly emailId: number | null;
  readonly downloadId?: number;
  /** Of the download. */
  readonly fileName?: string;
}

export type TaskType = 'upload_created' | 'email_imported' | 'documents_download';

/** API: limits.md, task life. */
export const TASK_LIFE_MS = 7 * 24 * 3600 * 1000;
