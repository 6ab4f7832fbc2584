import {
  ChevronDownIcon,
  ChevronLeftIcon,
  ChevronUpIcon,
  CounterClockwiseClockIcon,
  DownloadIcon,
  EnvelopeClosedIcon,
  KeyboardIcon,
  ResetIcon,
  RotateCounterClockwiseIcon,
  ScissorsIcon,
  TrashIcon,
} from '@radix-ui/react-icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError, call, idOf, localUrl } from '../api/client';
import { noteLeaving } from '../api/leaving';
import { isOnline, onContentWritten } from '../api/live';
import { queries } from '../api/queries';
import type { Annotation, Box, ContentNode, Document, PageObject, Schema, SchemaNode } from '../api/types';
import { AGAIN } from '../documents/again';
import { listPlace } from '../documents/list-address';
import { besideInList, useOpenedFrom } from '../documents/opened-from';
import { type Ending, embedded } from '../session/embedded';
import { endEmbedded } from '../session/embedded-page';
import { useUser } from '../shell/user-context';
import { texts } from '../texts';
import { Notice } from '../ui/problem';
import { StateBadge } from '../ui/state-badge';
import { showToast } from '../ui/toast';
import { ToolButton } from '../ui/tool-button';
import { Banners } from './banners';
import { usePopup } from './buttons';
import {
  columnOperations,
  type Field,
  fieldsOf,
  fillOperations,
  findTable,
  generalMessages,
  indexSchema,
  movedRows,
  needing,
  nextField,
  pasteOperations,
  rowOperations,
  tablesOf,
} from './content';
import { DeleteDialog, EmailDialog, HistoryDialog, RejectDialog, RotateDialog, ShortcutSheet } from './dialogs';
import { describeReason, FieldPanel } from './field-panel';
import { type Command, commandOf } from './keys';
import { type Mark, PageViewer, type ViewerControls } from './page-viewer';
import { PagesDialog } from './pages-dialog';
import { OtherDocument, Related } from './related-documents';
import { ReviewSession } from './review-session';
import { SuggestedSplit } from './suggested-split';
import { TableDock } from './table-dock';
import { useNext } from './use-next';
import { TableGrid, useTableGrid } from './use-table-grid';

interface ReviewProps {
  readonly annotation: Annotation;
  readonly content: readonly ContentNode[];
  readonly schema: Schema;
  readonly pages: readonly PageObject[];
  readonly document: Document | undefined;
}

type OpenDialog = 'sheet' | 'reject' | 'delete' | 'history' | 'documentHistory' | 'email' | 'rotate' | 'pages' | null;

/** Content that was read so shortly before a review begins is not read again. */
const FRESH_MS = 2000;
const STARTS = ['to_review', 'postponed'];
const WAITS = [...STARTS, 'reviewing'];

/** A document beside its fields. Opening one that waits begins its review. */
export function Review({ annotation, content, schema, pages, document }: ReviewProps) {
  const { user, rights } = useUser();
  const client = useQueryClient();
  const navigate = useNavigate();
  const queueId = idOf(annotation.queue);
  const { id, status } = annotation;
  const from = useOpenedFrom();

  const index = useMemo(() => indexSchema(schema.content), [schema]);
  // What is read later does not replace what somebody is typing: the session has the truth of its document.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tree at the beginning
  const session = useMemo(() => new ReviewSession(id, user.id, content, index), [id, user.id, index]);
  const state = session.store.use();
  const { tree, messages, drafts } = state;

  const isMine = status === 'reviewing' && annotation.modifier === user.url;
  const isOwner = isMine && !state.hasEnded && rights.mayReview;
  const [activeId, setActiveId] = useState<number | null>(null);
  const [hoveredId, setHoveredId] = useState<number | null>(null);
  const [openTable, setOpenTable] = useState<number | null>(null);
  const [wantsGrid, setWantsGrid] = useState<boolean | null>(null);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [beside, setBeside] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const viewer = useRef<ViewerControls>(null);
  const wanted = useRef<number | null>(null);
  const panel = useRef<HTMLElement>(null);
  const confirmButton = useRef<HTMLButtonElement>(null);

  const fields = useMemo(() => fieldsOf(tree, index), [tree, index]);
  const tables = useMemo(() => tablesOf(tree, index), [tree, index]);
  const blocker = useQuery(queries.blocker(annotation.automation_blocker));
  const reasons = blocker.data ?? [];
  const needed = useMemo(() => needing(fields, messages, drafts), [fields, messages, drafts]);
  const active = fields.find((field) => field.id === activeId);
  const goNext = useNext(queueId, id, isOwner && !embedded, user.url, from);

  const refresh = useCallback(() => {
    for (const key of ['annotations', 'queues']) void client.invalidateQueries({ queryKey: [key] });
  }, [client]);

  /** Begins the review, or takes it over. */
  const start = useCallback(async () => {
    try {
      const request = call(`/annotations/${id}/start`, { method: 'POST' });
      session.startsWith(request);
      await request;
      await client.refetchQueries({ queryKey: queries.annotation(id).queryKey });
      void client.invalidateQueries({ queryKey: ['queues'] });
    } catch (error) {
      showToast((error as Error).message, true);
      void client.invalidateQueries({ queryKey: ['annotations'] });
    }
  }, [client, id, session]);

  const tried = useRef(false);
  useEffect(() => {
    if (tried.current) return;
    tried.current = true;
    if (rights.mayReview && STARTS.includes(status)) void start();
  }, [rights.mayReview, status, start]);

  useEffect(() => {
    session.open();
    return () => {
      noteLeaving(id, session.close());
      // Who comes back finds it as it is then, not as one that is being reviewed.
      client.removeQueries({ queryKey: queries.annotation(id).queryKey, exact: true });
    };
  }, [session, client, id]);
  // Ours, from the beginning or again: the service checks what is there.
  const began = useRef(false);
  const wasOthers = useRef(false);
  if (status === 'reviewing' && !isMine) wasOthers.current = true;
  useEffect(() => {
    if (!isMine || began.current) return;
    began.current = true;
    // What was read ahead, or looked at for a while, may be another one now.
    const readAt = client.getQueryState(queries.content(id).queryKey)?.dataUpdatedAt ?? 0;
    void session.begin({ readFirst: wasOthers.current || Date.now() - readAt > FRESH_MS });
  }, [isMine, session, client, id]);
  useEffect(
    () =>
      onContentWritten((written) => {
        if (written === null || idOf(written.annotation) === id) session.heard(written?.request_id ?? null);
      }),
    [session, id],
  );
  useEffect(() => {
    if (!isOwner) session.show(content);
  }, [content, isOwner, session]);
  const modifiedAt = annotation.modified_at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: somebody else's changes are read when there are some
  useEffect(() => {
    if (!isOwner) void client.invalidateQueries({ queryKey: queries.content(id).queryKey });
  }, [modifiedAt]);

  const goTo = useCallback((field: Field | undefined) => {
    if (!field) return;
    if (field.multivalue && field.node.category === 'datapoint' && field.schema.id !== field.multivalue.schema_id) {
      setOpenTable((open) => (isInTable(field) ? (field.multivalue?.id ?? null) : open));
    }
    wanted.current = field.id;
    setActiveId(field.id);
    focusField(field.id);
  }, []);
  // A table that has just been opened has its inputs now.
  useEffect(() => {
    if (wanted.current !== null && focusField(wanted.current)) wanted.current = null;
  });

  // The first field that needs somebody has the focus from the beginning.
  const first = useRef(false);
  useEffect(() => {
    if (!isOwner || first.current || pages.length === 0) return;
    first.current = true;
    goTo(needed[0] ?? fields[0]);
  }, [isOwner, needed, fields, goTo, pages]);

  const activate = (to: number) => {
    if (to !== activeId && activeId !== null) void session.flush();
    setActiveId(to);
  };

  /** Ends the review by an action and goes on. */
  const finish = async (action: Exclude<Ending, 'cancel'>, body: object = {}) => {
    if (isBusy) return;
    setBusy(true);
    setDialog(null);
    try {
      await session.finish(action, body);
      if (embedded) return endEmbedded(action);
      await goNext();
      refresh();
    } catch (error) {
      const refusal = error instanceof ApiError ? error.body.messages : undefined;
      // A banner says that the service is away, and is not to be said twice.
      const isAway = error instanceof ApiError && error.isAway;
      showToast(isAway ? texts.review.notDone(action) : (error as Error).message, true);
      if (Array.isArray(refusal)) {
        const wrong = fields.find((field) => refusal.some((one) => one.id === String(field.id)));
        if (wrong) goTo(wrong);
        else panel.current?.scrollTo({ top: 0 });
      }
    }
    setBusy(false);
  };
  const leave = async () => {
    if (isOwner) {
      await session.leave();
      refresh();
    }
    if (embedded) endEmbedded('cancel');
    else navigate(from?.list ?? listPlace(queueId));
  };
  const skip = async () => {
    if (embedded) return leave();
    // This one is given back when it is left: before, it would be the next one.
    if (isOwner) await session.flush();
    await goNext();
  };
  const goBeside = async (step: 1 | -1) => {
    if (!from) return;
    try {
      const beside = await besideInList(client, from, id, step);
      if (!beside) return showToast(step === 1 ? texts.review.lastInList : texts.review.firstInList);
      if (isOwner) await session.flush();
      navigate(`/annotations/${beside.id}`, { replace: true, state: beside.from });
    } catch (error) {
      showToast((error as Error).message, true);
    }
  };
  const takeOver = async () => {
    try {
      if (status === 'reviewing' && !isMine) {
        await call(`/annotations/${id}`, { method: 'PATCH', body: { status: 'to_review' } });
      }
      const isAgain = began.current;
      await start();
      if (isAgain) session.goOn();
    } catch (error) {
      showToast((error as Error).message, true);
    }
  };

  const changeStatus = async (to: string) => {
    try {
      await call(`/annotations/${id}`, { method: 'PATCH', body: { status: to } });
    } catch (error) {
      showToast((error as Error).message, true);
    }
    refresh();
  };

  const changeRows = (key: string, multivalue: ContentNode, change: (rows: readonly ContentNode[]) => ContentNode[]) =>
    session.change(key, (now) => {
      const found = findTable(now, multivalue);
      return found ? rowOperations(found, change(found.children ?? []), index) : [];
    });
  const removeRow = (multivalue: ContentNode, row: number) => {
    void changeRows('remove', multivalue, (rows) => rows.filter((_, i) => i !== row));
    setActiveId(null);
  };
  const moveRow = (multivalue: ContentNode, row: number, by: 1 | -1) => {
    let to = row;
    void changeRows('move', multivalue, (rows) => {
      const moved = movedRows(rows, row, by, index);
      to = moved.to;
      return moved.rows;
    }).then(() =>
      goTo(fields.find((f) => f.multivalue?.id === multivalue.id && f.row === to && f.schema.id === active?.schema.id)),
    );
  };
  const duplicateRow = (multivalue: ContentNode, row: number) => {
    const column = active?.schema.id;
    void changeRows('duplicate', multivalue, (rows) => rows.toSpliced(row + 1, 0, ...rows.slice(row, row + 1))).then(
      () => {
        const now = fieldsOf(session.store.read().tree, index).filter((f) => f.multivalue?.id === multivalue.id);
        goTo(now.find((f) => f.row === row + 1 && (f.schema.id === column || column === undefined)));
      },
    );
  };
  const fillDown = ({ id: cell, multivalue }: Field) =>
    multivalue &&
    session.change(`fill ${cell}`, (now) => {
      const found = findTable(now, multivalue);
      return found ? fillOperations(found, cell, index) : [];
    });
  const addRow = (multivalue: ContentNode) =>
    void session
      .change('add', () => [{ op: 'add', id: multivalue.id, value: emptyRow(multivalue, schema, index) }])
      .then(() => {
        const now = fieldsOf(session.store.read().tree, index).filter((f) => f.multivalue?.id === multivalue.id);
        goTo(now.find((f) => f.row === now.at(-1)?.row));
      });

  const exchange = (multivalue: ContentNode, columns: readonly [string, string]) =>
    void session
      .change(`exchange ${columns.join(' ')}`, (now) => {
        const found = findTable(now, multivalue);
        return found ? columnOperations(found, columns, index) : [];
      })
      .then(() => {
        const [a = '', b = ''] = columns.map((column) => index.get(column)?.label);
        showToast(texts.review.exchanged(a, b));
      });
  const paste = (
    multivalue: ContentNode,
    lines: readonly (readonly string[])[],
    from: { readonly row: number; readonly column: string },
  ) =>
    void session.change(`paste ${multivalue.id} ${from.row} ${from.column}`, (now) => {
      const found = findTable(now, multivalue);
      return found ? pasteOperations(found, lines, from, index) : [];
    });
  const table = tables.find((one) => one.id === openTable);
  const showsGrid = table !== undefined && (wantsGrid ?? index.get(table.schema_id)?.show_grid_by_default ?? false);
  const grid = useTableGrid({ annotationId: id, session, index, table: showsGrid ? table : undefined });
  const openPopup = usePopup({
    readTree: () => session.store.read().tree,
    write: (to, value) => session.type(to, value),
    finish: (button) => void session.press(button),
  });
  const press = (button: ContentNode, { popup_url: url }: SchemaNode) =>
    url ? openPopup(button.id, url) : void session.press(button.id);

  const sideways = (step: 1 | -1) => {
    if (!active?.multivalue || active.row === undefined || !isInTable(active)) return false;
    const column = fields.filter((f) => f.multivalue?.id === active.multivalue?.id && f.schema.id === active.schema.id);
    const cell = column[column.findIndex(({ id: of }) => of === active.id) + step];
    goTo(cell);
    return cell !== undefined;
  };

  const inTable = active && isInTable(active) ? active : undefined;
  const run: Record<Command, () => unknown> = {
    nextNeeded: () => {
      if (active && isOwner) session.check(active.id);
      const next = nextField(fields, activeId, (field) => needed.includes(field));
      if (next) return goTo(next);
      void session.flush();
      confirmButton.current?.focus();
    },
    previousNeeded: () => goTo(nextField(fields, activeId, (field) => needed.includes(field), -1)),
    nextField: () => goTo(nextField(fields, activeId, () => true)),
    previousField: () => goTo(nextField(fields, activeId, () => true, -1)),
    confirm: () => isOwner && finish('confirm'),
    skip,
    nextInList: () => goBeside(1),
    previousInList: () => goBeside(-1),
    postpone: () => isOwner && rights.mayDispose && finish('postpone'),
    reject: () => isOwner && rights.mayDispose && setDialog('reject'),
    delete: () => isOwner && rights.mayDispose && setDialog('delete'),
    undo: () => {
      if (isOwner) void session.undo();
    },
    redo: () => {
      if (isOwner) void session.redo();
    },
    sheet: () => setDialog('sheet'),
    addRow: () => {
      const multivalue = active?.multivalue ?? tables.find((one) => one.id === openTable) ?? tables[0];
      if (isOwner && multivalue) addRow(multivalue);
    },
    removeRow: () => isOwner && active?.multivalue && removeRow(active.multivalue, active.row ?? 0),
    duplicateRow: () => isOwner && inTable?.multivalue && duplicateRow(inTable.multivalue, inTable.row ?? 0),
    fillDown: () => isOwner && inTable && void fillDown(inTable),
    moveUp: () => isOwner && active?.multivalue && moveRow(active.multivalue, active.row ?? 0, -1),
    moveDown: () => isOwner && active?.multivalue && moveRow(active.multivalue, active.row ?? 0, 1),
    grid: () => {
      if (!table) setOpenTable(tables[0]?.id ?? null);
      setWantsGrid(!showsGrid);
    },
    cellAbove: () => sideways(-1),
    cellBelow: () => sideways(1),
    zoomIn: () => viewer.current?.zoom(1),
    zoomOut: () => viewer.current?.zoom(-1),
    zoomFit: () => viewer.current?.zoom('fit'),
    turn: () => viewer.current?.turn(),
    search: () => viewer.current?.search(),
    history: () => setDialog(active ? 'history' : 'documentHistory'),
    leave: () => {
      const focused = window.document.activeElement as HTMLElement | null;
      if (focused?.dataset.field) {
        focused.blur();
        setActiveId(null);
      } else void leave();
    },
  };
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (window.document.querySelector('dialog[open]') || event.isComposing) return;
      const target = event.target as HTMLElement;
      const inField = target.dataset.field !== undefined;
      const command = commandOf({
        key: event.key,
        code: event.code,
        ctrlKey: event.ctrlKey,
        metaKey: event.metaKey,
        altKey: event.altKey,
        shiftKey: event.shiftKey,
        repeat: event.repeat,
        inField: inField || target.tagName === 'INPUT',
      });
      if (command === undefined) return;
      const movesCaret = target.tagName === 'TEXTAREA' || target.tagName === 'SELECT';
      if ((command === 'cellAbove' || command === 'cellBelow') && (movesCaret || !target.closest('.grid'))) return;
      event.preventDefault();
      if (command) latest.current[command]();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);

  // Typing changes what needs somebody, but seldom: the frames on the pages stay the same objects meanwhile.
  const neededIds = needed.map((field) => field.id).join();
  const marks = useMemo(() => marksOf(fields, new Set(neededIds.split(',').map(Number))), [fields, neededIds]);
  const pick = (to: number) => goTo(fields.find((field) => field.id === to));
  const capture = (page: PageObject, box: Box, isFrame: boolean) => {
    if (isFrame && grid?.takesFrame(page.number)) return void grid.draw(page.number, box);
    if (activeId !== null) void session.capture(activeId, page.url, box);
  };
  const shared = {
    index,
    messages,
    drafts,
    reasons,
    activeId,
    hoveredId,
    isReadOnly: !isOwner,
    onActivate: activate,
    onHover: setHoveredId,
    onType: (to: number, value: string) => session.type(to, value),
    onAddRow: addRow,
    onRemoveRow: removeRow,
    onPress: press,
  };
  const general = useMemo(() => generalMessages(messages, tree, fields, index), [messages, tree, fields, index]);
  const isWrong = general.some(({ type }) => type === 'error');
  const online = isOnline.use();
  const why = isWrong ? texts.review.notReady : online ? '' : texts.review.waitForConnection;
  const ofDocument = reasons.filter(({ level }) => level === 'annotation');
  const problem = state.problem;
  const isPurged = status === 'purged';
  const name = document && (document.original_file_name || `#${id}`);

  return (
    <main className="review" id="content">
      <h1 className="hidden">{name}</h1>
      <div className="review-bar">
        <ToolButton label={texts.review.back} onClick={leave}>
          <ChevronLeftIcon />
        </ToolButton>
        {from && (
          <span className="list-steps">
            <ToolButton label={texts.review.previousInList} keys="Alt Page up" onClick={run.previousInList}>
              <ChevronUpIcon />
            </ToolButton>
            <ToolButton label={texts.review.nextInList} keys="Alt Page down" onClick={run.nextInList}>
              <ChevronDownIcon />
            </ToolButton>
          </span>
        )}
        <span className="review-name" dir="auto" title={name}>
          {name}
        </span>
        <StateBadge status={status} />
        <span className="muted save-state" role="status">
          {drafts.size > 0 && problem ? texts.review.pendingValues(drafts.size) : state.isSaving ? texts.saving : ''}
        </span>
        <span className="bar-tools">
          <ToolButton label={texts.review.undo} keys="Ctrl Z" disabled={!isOwner || !state.canUndo} onClick={run.undo}>
            <ResetIcon />
          </ToolButton>
          {!embedded && !isPurged && (
            <a
              className="button icon"
              href={document ? localUrl(document.content) : undefined}
              download
              aria-label={texts.review.original}
              title={texts.review.original}
            >
              <DownloadIcon />
            </a>
          )}
          <ToolButton label={texts.review.history} onClick={() => setDialog('documentHistory')}>
            <CounterClockwiseClockIcon />
          </ToolButton>
          {!embedded && document?.email && (
            <ToolButton label={texts.review.email} onClick={() => setDialog('email')}>
              <EnvelopeClosedIcon />
            </ToolButton>
          )}
          {!embedded && rights.mayDispose && pages.length > 0 && WAITS.includes(status) && (
            <ToolButton label={texts.review.pages.title} onClick={() => setDialog('pages')}>
              <ScissorsIcon />
            </ToolButton>
          )}
          {rights.mayDispose && (
            <ToolButton label={texts.review.rotateAgain} onClick={() => setDialog('rotate')}>
              <RotateCounterClockwiseIcon />
            </ToolButton>
          )}
          <ToolButton label={texts.review.shortcuts} keys="F1" onClick={run.sheet}>
            <KeyboardIcon />
          </ToolButton>
        </span>
        <span className="bar-actions">
          {isOwner && (
            <>
              {rights.mayDispose && (
                <>
                  <button
                    type="button"
                    className="icon danger"
                    aria-label={texts.review.delete}
                    title={texts.review.delete}
                    onClick={run.delete}
                  >
                    <TrashIcon />
                  </button>
                  <button type="button" onClick={run.reject}>
                    {texts.review.reject}
                  </button>
                  <button type="button" onClick={run.postpone}>
                    {texts.review.postpone}
                  </button>
                </>
              )}
              {!embedded && (
                <button type="button" onClick={skip}>
                  {texts.review.skip}
                </button>
              )}
              <button
                type="button"
                ref={confirmButton}
                className="primary confirm"
                disabled={isBusy}
                onClick={run.confirm}
              >
                {texts.review.confirm}
              </button>
            </>
          )}
          {!isMine && rights.mayReview && ['confirmed', 'to_review', 'postponed'].includes(status) && (
            <button type="button" className="primary" onClick={takeOver}>
              {texts.review.start}
            </button>
          )}
          {!isMine && rights.mayDispose && ['rejected', 'deleted', 'failed_export'].includes(status) && (
            <button type="button" onClick={() => void changeStatus('to_review')}>
              {texts.review.restore}
            </button>
          )}
          {rights.mayDispose && AGAIN[status] && (
            <button type="button" className="primary" onClick={() => void changeStatus(AGAIN[status] ?? '')}>
              {texts.retry}
            </button>
          )}
        </span>
      </div>
      <Banners
        annotation={annotation}
        isMine={isMine}
        hasEnded={state.hasEnded}
        problem={problem}
        onTakeOver={rights.mayReview ? takeOver : undefined}
      />
      <div className={openTable === null ? 'review-body' : 'review-body with-table'}>
        <aside className="panel" ref={panel} aria-label={texts.review.fieldsTitle}>
          {isOwner && (
            <p className={needed.length > 0 || why ? 'summary needs' : 'summary'} role="status">
              {needed.length > 0 ? texts.review.needs(needed.length) : why || texts.review.ready}
              <kbd>{needed.length > 0 ? 'Enter' : 'Ctrl Enter'}</kbd>
            </p>
          )}
          {general.map(({ id: of, type, content: text }) => (
            <Notice key={`${of} ${text}`} kind={type}>
              {text}
            </Notice>
          ))}
          {(annotation.messages ?? []).map(({ type, content: text }) => (
            <Notice key={text} kind={type}>
              {text}
            </Notice>
          ))}
          {ofDocument.length > 0 && (
            <p className="why muted small">
              {texts.review.whyNot}: {ofDocument.map(({ type, details }) => describeReason(type, details)).join(' ')}
            </p>
          )}
          {!embedded && WAITS.includes(status) && (
            <SuggestedSplit annotation={annotation} pages={pages} mayEdit={rights.mayDispose} />
          )}
          {!embedded && <Related annotation={annotation} beside={beside} onBeside={setBeside} />}
          <FieldPanel tree={tree} {...shared} />
        </aside>
        <div className={beside === null ? 'paper' : 'paper two'}>
          {pages.length === 0 && <p className="no-pages">{isPurged ? texts.review.purged : texts.review.noPages}</p>}
          {pages.length > 0 && (
            <PageViewer
              annotationId={id}
              pages={pages}
              marks={marks}
              activeId={activeId}
              hoveredId={hoveredId}
              onHover={setHoveredId}
              onPick={pick}
              onCapture={isOwner ? capture : undefined}
              takesFrames={grid !== undefined}
              renderOver={
                grid && table
                  ? (sheet) => (
                      <TableGrid key="grid" {...grid} sheet={sheet} table={table} index={index} isReadOnly={!isOwner} />
                    )
                  : undefined
              }
              controls={viewer}
            />
          )}
          {beside !== null && <OtherDocument annotationId={beside} onClose={() => setBeside(null)} />}
        </div>
        <TableDock
          tables={tables}
          openId={openTable}
          onOpen={setOpenTable}
          needed={needed}
          showsGrid={showsGrid}
          onGrid={run.grid}
          onMoveRow={moveRow}
          onDuplicateRow={duplicateRow}
          onExchange={exchange}
          onPaste={paste}
          {...shared}
        />
      </div>
      {dialog === 'sheet' && <ShortcutSheet onClose={() => setDialog(null)} />}
      {dialog === 'reject' && (
        <RejectDialog
          onClose={() => setDialog(null)}
          onReject={(note) => void finish('reject', { note_content: note })}
        />
      )}
      {dialog === 'delete' && <DeleteDialog onClose={() => setDialog(null)} onDelete={() => void finish('delete')} />}
      {dialog === 'history' && <HistoryDialog annotation={annotation} field={active} onClose={() => setDialog(null)} />}
      {dialog === 'documentHistory' && (
        <HistoryDialog annotation={annotation} field={undefined} onClose={() => setDialog(null)} />
      )}
      {dialog === 'rotate' && <RotateDialog annotation={annotation} onClose={() => setDialog(null)} />}
      {dialog === 'pages' && <PagesDialog annotation={annotation} pages={pages} onClose={() => setDialog(null)} />}
      {dialog === 'email' && document?.email && <EmailDialog url={document.email} onClose={() => setDialog(null)} />}
    </main>
  );
}

/** Whether a field is a cell of a table, not a value of a list. */
function isInTable({ multivalue, schema }: Field): boolean {
  return (
    multivalue !== undefined &&
    multivalue.children?.some(({ category }) => category === 'tuple') === true &&
    schema.category === 'datapoint'
  );
}

/** Puts the focus into the input of a field; false when it is not there. */
function focusField(id: number): boolean {
  const input = window.document.querySelector<HTMLElement>(`[data-field="${id}"]`);
  if (!input) return false;
  if (window.document.activeElement !== input) input.focus();
  input.scrollIntoView({ block: 'nearest' });
  return true;
}

function marksOf(fields: readonly Field[], needed: ReadonlySet<number>): Mark[] {
  return fields.flatMap(({ id, node: { content }, schema: { label } }) =>
    content?.position && content.page !== null
      ? [{ id, label, page: content.page, box: content.position, needs: needed.has(id) }]
      : [],
  );
}

/** The cells of a new row: none is given, all are made. */
function emptyRow(multivalue: ContentNode, schema: Schema, index: ReturnType<typeof indexSchema>) {
  const node = index.get(multivalue.schema_id) ?? schema.content[0];
  const child = node && (Array.isArray(node.children) ? node.children[0] : node.children);
  const cell =
    child?.category === 'tuple' ? (Array.isArray(child.children) ? child.children[0] : child.children) : child;
  return cell ? [{ schema_id: cell.id, content: { value: '' }, validation_sources: [] }] : [];
}
