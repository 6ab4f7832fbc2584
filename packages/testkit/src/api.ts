/** A status that was not expected. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly body: unknown,
    request: string,
  ) {
    super(`${request}: ${status} ${JSON.stringify(body)}`);
  }
}

/** Name and bytes of a file to upload. */
export interface UploadFile {
  readonly fileName: string;
  readonly content: Buffer;
  readonly contentType?: string;
}

/** A document and its annotation as they are made by an upload. */
export interface Uploaded {
  readonly uploadId: number;
  readonly annotationIds: number[];
  readonly documentIds: number[];
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of the API are read by tests, which check what they read
export type Json = any;

/** What may go with a request. */
export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;

/** A client of the REST API: `base` ends in `/api`, paths begin behind `/v1`. Redirects are not followed. */
export class Api {
  token: string | undefined;

  constructor(readonly base: string) {}

  /** A client that is logged in. */
  static async login(base: string, username: string, password: string): Promise<Api> {
    const api = new Api(base);
    const { key } = await api.post('/auth/login', { username, password });
    api.token = key;
    return api;
  }

  /** Any request; answers whatever the status. A path may be a full URL. Buffers and FormData are sent as they are. */
  async request(method: string, path: string, { body, headers = {}, timeoutMs }: RequestOptions = {}) {
    const url = /^https?:/.test(path) ? path : `${this.base}/v1${path}`;
    const raw = body instanceof FormData || Buffer.isBuffer(body) || body === undefined;
    return fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs ?? TIMEOUT_MS),
      headers: {
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(raw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: raw ? (body as RequestInit['body']) : JSON.stringify(body),
    });
  }

  get(path: string): Promise<Json> {
    return this.send('GET', path);
  }
  post(path: string, body?: unknown): Promise<Json> {
    return this.send('POST', path, { body });
  }
  patch(path: string, body: unknown): Promise<Json> {
    return this.send('PATCH', path, { body });
  }
  delete(path: string): Promise<Json> {
    return this.send('DELETE', path);
  }

  /** Bytes of a download. */
  async download(path: string): Promise<Buffer> {
    const response = await this.request('GET', path);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new ApiError(response.status, bytes.toString().slice(0, 500), `GET ${path}`);
    return bytes;
  }

  /** Uploads files to a queue; answers the URL of the task. */
  async upload(queueId: number, files: readonly UploadFile[], headers: Record<string, string> = {}): Promise<string> {
    const path = `/uploads?queue=${queueId}`;
    const { url } = await this.send('POST', path, { body: toForm(files), headers });
    return url;
  }

  /** The upload that a task made, once it has succeeded; undefined while the task runs. */
  async findUploaded(taskUrl: string): Promise<Uploaded | undefined> {
    const task = await this.get(`${taskUrl}?no_redirect=true`);
    if (task.status === 'failed') throw new Error(`task failed: ${JSON.stringify(task)}`);
    if (task.status !== 'succeeded') return undefined;
    const upload = await this.get(task.result_url);
    return {
      uploadId: upload.id,
      annotationIds: upload.annotations.map(idOf),
      documentIds: upload.documents.map(idOf),
    };
  }

  private async send(method: string, path: string, options: RequestOptions = {}): Promise<Json> {
    const response = await this.request(method, path, options);
    const text = await response.text();
    const body = parse(text);
    if (!response.ok) throw new ApiError(response.status, body, `${method} ${path}`);
    return body;
  }
}

/** Files as a multipart body, each in the part `content`. */
export function toForm(files: readonly UploadFile[]): FormData {
  const form = new FormData();
  for (const { fileName, content, contentType = 'application/pdf' } of files)
    form.append('content', new Blob([new Uint8Array(content)], { type: contentType }), fileName);
  return form;
}

/** The id at the end of an object's URL. */
export function idOf(url: string): number {
  return Number(url.slice(url.lastIndexOf('/') + 1));
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
