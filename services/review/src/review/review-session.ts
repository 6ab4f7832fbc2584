import { ApiError, type CallOptions, call } from '../api/client';
import type { Box, ContentNode, Message, Operation } from '../api/types';
import { beforeLogout, createStore, sessionLost } from '../session/session-store';
import { changedNodes, flatten, isComputed, mergeNodes, operationsBetween, type SchemaIndex } from './content';
import { type OtherWindows, watchWindows } from './other-windows';
import type { GridChange } from './table-grid';

/** A pause in typing after which what was typed is sent. */
const PAUSE_MS = 350;
const TRY_AGAIN_MS = 3000;
const MOST_UNDONE = 100;
/** As the service says it. API: annotations.md section 5. */
const WRONG = 'Annotation contains validation errors.';

/** What a review shows of itself. */
export interface ReviewState {
  readonly tree: readonly ContentNode[];
  readonly messages: readonly Message[];
  /** What was typed and is not stored yet, by datapoint. */
  readonly drafts: ReadonlyMap<number, string>;
  /** Something is on its way to be stored. */
  readonly isSaving: boolean;
  /** Why the last call did not work; what was typed is still there. */
  readonly problem: ApiError | null;
  /** Somebody else has the document, or the review was idle for too long. */
  readonly hasEnded: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

interface Step {
  /** Changes of the same field in a row are undone together. */
  readonly key: string;
  readonly tree: readonly ContentNode[];
}

interface Validation {
  readonly messages: readonly Message[];
  readonly updated_datapoints: readonly ContentNode[];
}

/**
 * One person's review of one annotation: keeps what is typed until the service has it, sends it in order, and checks it. Nothing
 * typed is lost when the service is away, or the session has ended: it is sent when they are back, also after the page was loaded again.
 */
export class ReviewSession {
  readonly store;
  private readonly path: string;
  private readonly draftKey: string;
  private undoSteps: Step[] = [];
  private redoSteps: Step[] = [];
  private line: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  /** Values that are stored and were not checked yet: the service was away meanwhile. */
  private readonly unchecked = new Set<number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  /** The document is ours since the review has begun. */
  private hasBegun = false;
  private starting: Promise<void> = Promise.resolve();
  /** The review has ended by an action: there is nothing to write any more. */
  private isFinished = false;
  /** Requests that this window has written with, until it hears of their writes. */
  private readonly own = new Set<string>();
  private windows: OtherWindows | undefined;
  private unsubscribe: () => void = () => undefined;

  constructor(
    annotationId: number,
    userId: number,
    tree: readonly ContentNode[],
    private readonly index: SchemaIndex,
  ) {
    this.path = `/annotations/${annotationId}`;
    this.draftKey = `intake.drafts.${userId}.${annotationId}`;
    const kept = JSON.parse(sessionStorage.getItem(this.draftKey) ?? '[]') as [number, string][];
    this.store = createStore<ReviewState>({
      tree,
      messages: [],
      drafts: new Map(kept),
      isSaving: false,
      problem: null,
      hasEnded: false,
      canUndo: false,
      canRedo: false,
    });
  }

  /** Sends by itself what could not be sent, when the session or the network is back; until it is closed. */
  open(): void {
    this.isClosed = false;
    this.windows = watchWindows(this.draftKey);
    this.unsubscribe = sessionLost.subscribe(() => {
      if (!sessionLost.read()) void this.flush();
    });
    window.addEventListener('online', this.flush);
    window.addEventListener('beforeunload', this.warn);
    window.addEventListener('pagehide', this.leaveAtOnce);
    beforeLogout.add(this.leave);
  }

  private set(to: Partial<ReviewState>): void {
    this.store.set({
      ...this.store.read(),
      ...to,
      canUndo: this.undoSteps.length > 0,
      canRedo: this.redoSteps.length > 0,
    });
  }

  /**
   * The page is left for another one of this site: what was typed last is still sent, and nothing more runs by itself. Returns when the document
   * is given back.
   */
  close(): Promise<void> {
    const { windows } = this;
    void this.flush();
    const left = this.inLine(async () => {
      if (this.isClosed) await this.giveBack();
    }).finally(() => windows?.close());
    this.stop();
    return left;
  }

  private stop(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.unsubscribe();
    window.removeEventListener('online', this.flush);
    window.removeEventListener('beforeunload', this.warn);
    window.removeEventListener('pagehide', this.leaveAtOnce);
    beforeLogout.delete(this.leave);
  }

  /** Ends the review without a decision, after everything typed is stored; nothing happens to what cannot be stored. */
  readonly leave = async (): Promise<void> => {
    await this.flush();
    await this.inLine(() => this.giveBack());
  };

  /** The review is asked for: who leaves before the answer is there gives the document back behind it. */
  startsWith(request: Promise<unknown>): void {
    this.starting = request.then(
      () => {
        this.hasBegun = true;
      },
      () => undefined,
    );
  }

  /** Another window that shows the document goes on with it. */
  private async giveBack(): Promise<void> {
    await this.starting;
    if (!this.hasBegun || this.store.read().drafts.size > 0 || this.windows?.any()) return;
    await call(`${this.path}/cancel`, { method: 'POST' }).catch(() => undefined);
    this.isFinished = true;
  }

  /**
   * The window is closed or goes elsewhere. Which of the two calls comes first does not matter: values are also taken by a document that nobody
   * reviews (API: annotation-content.md section 4).
   */
  private readonly leaveAtOnce = (): void => {
    const { drafts, hasEnded } = this.store.read();
    if (!this.hasBegun || this.isFinished || hasEnded) return;
    const send = (path: string, body: object = {}) =>
      void call(this.path + path, { method: 'POST', keepalive: true, body }).catch(() => undefined);
    if (drafts.size > 0) send('/content/operations', { operations: typed(drafts) });
    if (!this.windows?.any()) send('/cancel');
    this.windows?.close();
  };

  /** What could not be stored would be lost with the window: the browser asks. */
  private readonly warn = (event: Event): void => {
    if (this.store.read().problem && this.store.read().drafts.size > 0) event.preventDefault();
  };

  /** Begins: hooks are told, messages come, and what was typed before the page was loaded again is sent. */
  begin({ readFirst }: { readonly readFirst: boolean }): Promise<void> {
    this.hasBegun = true;
    return this.inLine(async () => {
      if (readFirst) await this.readAgain();
      await this.validate([], true);
    }).then(() => this.flush());
  }

  /** Content was written, by this window or elsewhere; null: perhaps. */
  heard(requestId: string | null): void {
    // Behind what is on its way: its answers tell what was written here.
    this.line = this.line.then(async () => {
      if (this.isClosed || this.isFinished || this.store.read().hasEnded) return;
      if (requestId !== null && this.own.delete(requestId)) return;
      await this.readAgain().catch(() => undefined);
    });
  }

  private async readAgain(): Promise<void> {
    const { content } = await call<{ content: ContentNode[] }>(`${this.path}/content`);
    this.take(content, changedNodes(this.store.read().tree, content));
  }

  /** Shows a tree in which others have changed nodes: an undo leaves those as they are, and the next check looks at them too. */
  private take(tree: readonly ContentNode[], changed: readonly ContentNode[]): void {
    if (changed.length > 0) {
      const keep = (step: Step): Step => ({ ...step, tree: mergeNodes(step.tree, changed) });
      this.undoSteps = this.undoSteps.map(keep);
      this.redoSteps = this.redoSteps.map(keep);
      for (const { id, content } of flatten(changed)) if (content) this.unchecked.add(id);
    }
    this.set({ tree });
  }

  type(id: number, value: string): void {
    const drafts = new Map(this.store.read().drafts);
    // While something is on its way, another value may be about to be stored.
    if (this.waiting === 0 && value === (this.valueOf(id) ?? '')) drafts.delete(id);
    else drafts.set(id, value);
    this.keep(drafts);
    clearTimeout(this.timer);
    this.timer = setTimeout(this.flush, PAUSE_MS);
  }

  /** Sends what was typed. */
  readonly flush = (): Promise<void> => {
    clearTimeout(this.timer);
    return this.inLine(async () => {
      // A row that is gone, or a document that was read again, has no place for what was typed there.
      const there = new Set(flatten(this.store.read().tree).map(({ id }) => id));
      const sent = new Map([...this.store.read().drafts].filter(([id]) => there.has(id)));
      if (sent.size < this.store.read().drafts.size) this.keep(sent);
      if (sent.size === 0) return this.unchecked.size === 0 ? undefined : this.checkChanged([]);
      this.remember(`type ${[...sent.keys()].join(',')}`);
      await this.write(typed(sent));
      const left = [...this.store.read().drafts].filter(([id, value]) => sent.get(id) !== value);
      this.keep(new Map(left));
      await this.checkChanged(sent.keys());
    });
  };

  /** A person has looked at a value and it is right. */
  check(id: number): void {
    const { tree, drafts } = this.store.read();
    const node = flatten(tree).find((one) => one.id === id);
    if (drafts.has(id)) return void this.flush();
    if (!node || (node.validation_sources ?? []).length > 0) return;
    this.set({ tree: mergeNodes(tree, [{ ...node, validation_sources: ['human'] }]) });
    void this.inLine(() => this.write([{ op: 'replace', id, value: { validation_sources: ['human'] } }]));
  }

  /** Takes the text in a frame of a page as the value. */
  capture(id: number, page: string, rectangle: Box): Promise<void> {
    const drafts = new Map(this.store.read().drafts);
    drafts.delete(id);
    this.keep(drafts);
    return this.inLine(async () => {
      this.showSaving();
      this.remember(`capture ${id} ${rectangle.join()}`);
      const body = { rectangle, page };
      const answer = await this.post<ContentNode | { content: ContentNode[] }>(`/${id}/select`, body);
      const nodes = 'category' in answer ? [answer] : answer.content;
      this.set({ tree: mergeNodes(this.store.read().tree, nodes) });
      await this.checkChanged([id]);
    });
  }

  /** Changes rows; the operations are made when it is their turn. */
  change(key: string, operationsOf: (tree: readonly ContentNode[]) => readonly Operation[]): Promise<void> {
    void this.flush();
    return this.inLine(async () => {
      const operations = operationsOf(this.store.read().tree);
      if (operations.length === 0) return;
      this.remember(key);
      await this.write(operations);
      await this.checkAll();
    });
  }

  /** Changes a part of the grid of a table, and the cells that it frames; the change is made when it is its turn. */
  changeGrid(
    table: number,
    changeOf: (tree: readonly ContentNode[]) => { readonly index: number; readonly isNew: boolean } & GridChange,
  ): Promise<void> {
    void this.flush();
    return this.inLine(async () => {
      const { index, isNew, grid, operations } = changeOf(this.store.read().tree);
      this.showSaving();
      this.remember(`grid ${JSON.stringify(grid)}`);
      // A new part reads nothing by itself: its cells are those of the rows that are there.
      const empty = { op: 'create', grid_index: index, grid: { ...grid, columns: [], rows: [] } };
      if (isNew) await this.post(`/${table}/grid_operations`, { operations: [empty] });
      const body = { grid_index: index, grid, operations };
      const node = await this.post<ContentNode>(`/${table}/grid_parts_operations`, body);
      this.set({ tree: mergeNodes(this.store.read().tree, [node]) });
      await this.checkAll();
    });
  }

  /** Runs a button: hooks and the connector are told, and answer with values and messages. */
  press(id: number): Promise<void> {
    void this.flush();
    return this.inLine(() => this.validate([id]));
  }

  undo(): Promise<void> {
    return this.goBack('undoSteps', 'redoSteps');
  }

  redo(): Promise<void> {
    return this.goBack('redoSteps', 'undoSteps');
  }

  private goBack(from: 'undoSteps' | 'redoSteps', to: 'undoSteps' | 'redoSteps'): Promise<void> {
    void this.flush();
    return this.inLine(async () => {
      const step = this[from].at(-1);
      if (!step) return;
      const { tree } = this.store.read();
      const operations = operationsBetween(tree, step.tree, this.index);
      if (operations.length > 0) await this.write(operations);
      this[from] = this[from].slice(0, -1);
      this[to] = [...this[to], { key: step.key, tree }];
      this.set({});
      await this.checkAll();
    });
  }

  /** Ends the review by an action, after everything typed is stored. Throws ApiError; messages of a refusal are shown. */
  async finish(action: string, body: object = {}): Promise<void> {
    await this.flush();
    await this.line;
    const { problem, drafts } = this.store.read();
    if (problem && drafts.size > 0) throw problem;
    if (action === 'confirm' && this.hasErrors()) {
      // What an extension found wrong may have been put right elsewhere meanwhile.
      await this.inLine(() => this.checkAll());
      if (this.hasErrors()) throw new ApiError(400, { detail: WRONG, messages: this.store.read().messages });
    }
    try {
      await call(`${this.path}/${action}`, { method: 'POST', body });
      this.isFinished = true;
      this.stop();
    } catch (error) {
      if (error instanceof ApiError && Array.isArray(error.body.messages)) {
        this.set({ messages: error.body.messages as Message[] });
      }
      throw error;
    }
  }

  private hasErrors(): boolean {
    return this.store.read().messages.some(({ type }) => type === 'error');
  }

  /** Shows what others have changed, while nobody types here. */
  show(tree: readonly ContentNode[]): void {
    if (this.waiting === 0 && this.store.read().drafts.size === 0) this.set({ tree });
  }

  /** After the review was started again. */
  goOn(): void {
    this.set({ hasEnded: false, problem: null });
    void this.begin({ readFirst: true });
  }

  private valueOf(id: number): string | undefined {
    return flatten(this.store.read().tree).find((node) => node.id === id)?.content?.value;
  }

  private keep(drafts: ReadonlyMap<number, string>): void {
    this.set({ drafts });
    if (drafts.size === 0) sessionStorage.removeItem(this.draftKey);
    else sessionStorage.setItem(this.draftKey, JSON.stringify([...drafts]));
  }

  private remember(key: string): void {
    if (this.undoSteps.at(-1)?.key !== key || this.redoSteps.length > 0) {
      this.undoSteps = [...this.undoSteps, { key, tree: this.store.read().tree }].slice(-MOST_UNDONE);
    }
    this.redoSteps = [];
    this.set({});
  }

  private showSaving(): void {
    if (!this.store.read().isSaving) this.set({ isSaving: true });
  }

  private async write(operations: readonly Operation[]): Promise<void> {
    this.showSaving();
    const { tree } = this.store.read();
    const { content } = await this.post<{ content: ContentNode[] }>('/operations', { operations });
    const own = new Set(operations.map(({ id }) => id));
    const before = new Map(flatten(tree).map((node) => [node.id, node]));
    const isOwn = ({ id }: ContentNode): boolean => own.has(id) || before.get(id)?.children?.some(isOwn) === true;
    this.take(
      content,
      changedNodes(tree, content).filter((node) => !isOwn(node) && !isComputed(node, this.index)),
    );
  }

  /** Writes to the content, or has it checked, which may write, and knows that it has done so. */
  private post<T>(path: string, body: object): Promise<T> {
    const onRequestId: CallOptions['onRequestId'] = (id) => this.own.add(id);
    return call<T>(`${this.path}/content${path}`, { method: 'POST', body, onRequestId });
  }

  /** Every value: not the buttons, which nobody has pressed. */
  private checkAll(): Promise<void> {
    return this.checkChanged(
      flatten(this.store.read().tree)
        .filter(({ content }) => content)
        .map(({ id }) => id),
    );
  }

  private async checkChanged(ids: Iterable<number>): Promise<void> {
    for (const id of ids) this.unchecked.add(id);
    await this.validate([...this.unchecked]);
    this.unchecked.clear();
  }

  private async validate(updated: readonly number[], isStart = false): Promise<void> {
    const { messages, updated_datapoints: nodes } = await this.post<Validation>('/validate', {
      actions: isStart ? ['user_update', 'started'] : ['user_update'],
      updated_datapoint_ids: updated,
    });
    this.set({ messages, tree: mergeNodes(this.store.read().tree, nodes) });
  }

  /** One call after the other, as they were asked for. */
  private inLine(task: () => Promise<void>): Promise<void> {
    this.waiting += 1;
    const run = this.line.then(async () => {
      if (this.isFinished || this.store.read().hasEnded) return;
      try {
        await task();
        if (this.store.read().problem) this.set({ problem: null });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.fail(error);
      }
    });
    const done = () => {
      this.waiting -= 1;
      if (this.waiting === 0 && this.store.read().isSaving) this.set({ isSaving: false });
    };
    // Whatever one of them met, the next ones have their turn.
    this.line = run.then(done, done);
    return run;
  }

  private fail(error: ApiError): void {
    this.set({ problem: error, hasEnded: error.status === 409 });
    if ((error.isAway || error.status === 429) && !this.isClosed) {
      clearTimeout(this.timer);
      this.timer = setTimeout(this.flush, TRY_AGAIN_MS);
    }
  }
}

/** The operations that store what was typed. */
function typed(values: ReadonlyMap<number, string>): Operation[] {
  return [...values].map(([id, value]) => ({
    op: 'replace',
    id,
    value: { content: { value }, validation_sources: ['human'] },
  }));
}
