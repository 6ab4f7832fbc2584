/** What travels between {@link ChildPool} and its children. */
export interface JobRequest {
  id: number;
  name: string;
  input: unknown;
}

/** An error without its class. */
export interface PlainError {
  name: string;
  message: string;
  stack?: string;
  properties: Record<string, string | number | boolean | null>;
}

export type JobReply = { id: number; ok: true; output: unknown } | { id: number; ok: false; error: PlainError };
