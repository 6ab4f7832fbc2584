import { MagnifyingGlassIcon, MinusIcon, PlusIcon, RotateCounterClockwiseIcon, WidthIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import {
  memo,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { queries } from '../api/queries';
import type { Box, PageObject } from '../api/types';
import { texts } from '../texts';
import { ToolButton } from '../ui/tool-button';
import {
  boxBetween,
  type NamePlace,
  type Point,
  type Printed,
  placeOfName,
  type Turn,
  unturn,
  wordAt,
} from './geometry';
import type { Sheet } from './grid-overlay';
import { PageImage } from './page-image';
import { SearchBox, usePageSearch } from './page-search';

/** A frame on a page that belongs to a field. */
export interface Mark {
  readonly id: number;
  readonly label: string;
  readonly page: number;
  readonly box: Box;
  readonly needs: boolean;
}

/** What keys do with the view. */
export interface ViewerControls {
  readonly zoom: (by: number | 'fit') => void;
  readonly turn: () => void;
  /** Looks for something in the text of the pages. */
  readonly search: () => void;
}

interface ViewerProps {
  readonly annotationId: number;
  readonly pages: readonly PageObject[];
  readonly marks: readonly Mark[];
  readonly activeId: number | null;
  readonly hoveredId: number | null;
  readonly onHover: (id: number | null) => void;
  readonly onPick: (id: number) => void;
  /** A word was clicked or a frame drawn; nothing is taken from a page without it. */
  readonly onCapture?: (page: PageObject, box: Box, isFrame: boolean) => void;
  /** Frames may be drawn without a field that waits for a value. */
  readonly takesFrames?: boolean;
  /** What is drawn over a page. */
  readonly renderOver?: (sheet: Sheet) => ReactNode;
  readonly controls?: React.Ref<ViewerControls>;
}

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4];
const A4: readonly [number, number] = [1240, 1754];
/** A drag that is shorter is a click. */
const CLICK_PX = 5;
/** Room between a name and the frames around it. */
const NAME_GAP_PX = 6;

/** The pages of a document below each other, with what was read in them. */
export function PageViewer(props: ViewerProps) {
  const { annotationId, pages, marks, activeId, hoveredId, controls } = props;
  // Pages with hundreds of frames are drawn again only when something of their own changes.
  const latest = useRef(props);
  latest.current = props;
  const [calls] = useState(() => ({
    onHover: (id: number | null) => latest.current.onHover(id),
    onPick: (id: number) => latest.current.onPick(id),
    onCapture: (page: PageObject, box: Box, isFrame: boolean) => latest.current.onCapture?.(page, box, isFrame),
  }));
  const marksByPage = useMemo(() => Map.groupBy(marks, ({ page }) => page), [marks]);
  const [zoom, setZoom] = useState(1);
  const [turn, setTurn] = useState<Turn>(0);
  const [current, setCurrent] = useState(1);
  const scroller = useRef<HTMLDivElement>(null);
  const viewer = useRef<HTMLDivElement>(null);

  const changeZoom = (by: number | 'fit') =>
    setZoom((before) => {
      if (by === 'fit') return 1;
      const at = ZOOMS.findIndex((one) => one >= before);
      return ZOOMS[Math.min(ZOOMS.length - 1, Math.max(0, at + by))] ?? 1;
    });
  const turnView = () => setTurn((before) => ((before + 90) % 360) as Turn);
  const search = usePageSearch(annotationId);
  const before = useRef<HTMLElement | null>(null);
  const startSearch = () => {
    const input = viewer.current?.querySelector<HTMLInputElement>('.page-search input');
    if (input) return input.select();
    before.current = document.activeElement as HTMLElement | null;
    search.setPhrase('');
  };
  const endSearch = () => {
    search.setPhrase(null);
    before.current?.focus();
  };
  useImperativeHandle(controls, () => ({ zoom: changeZoom, turn: turnView, search: startSearch }));
  useEffect(() => {
    const place = search.byPage && scroller.current?.querySelector('.found.current');
    if (place) showIn(scroller.current as Element, place);
  }, [search.byPage]);

  useEffect(() => {
    const box = scroller.current;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      changeZoom(event.deltaY < 0 ? 1 : -1);
    };
    box?.addEventListener('wheel', onWheel, { passive: false });
    return () => box?.removeEventListener('wheel', onWheel);
  });

  const active = marks.find(({ id }) => id === activeId);
  const place = active && `${active.id} ${active.box.join()}`;
  useEffect(() => {
    const mark = place && scroller.current?.querySelector('.mark.active');
    if (mark) showIn(scroller.current as Element, mark);
  }, [place]);

  const show = (number: number) => {
    scroller.current?.querySelector(`[data-page="${number}"]`)?.scrollIntoView({ block: 'start' });
    setCurrent(number);
  };
  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const middle = box.getBoundingClientRect().top + box.clientHeight / 2;
    const seen = [...box.querySelectorAll<HTMLElement>('[data-page]')].find(
      (page) => page.getBoundingClientRect().bottom >= middle,
    );
    if (seen) setCurrent(Number(seen.dataset.page));
  };

  return (
    <div className="viewer" ref={viewer}>
      {search.phrase !== null && <SearchBox search={search} onClose={endSearch} />}
      <div className="viewer-tools">
        <button type="button" className="icon" aria-label={texts.review.zoomOut} onClick={() => changeZoom(-1)}>
          <MinusIcon />
        </button>
        <span className="zoom">{Math.round(zoom * 100)} %</span>
        <button type="button" className="icon" aria-label={texts.review.zoomIn} onClick={() => changeZoom(1)}>
          <PlusIcon />
        </button>
        <button type="button" className="icon" aria-label={texts.review.zoomFit} onClick={() => changeZoom('fit')}>
          <WidthIcon />
        </button>
        <button type="button" className="icon turn" aria-label={texts.review.turnView} onClick={turnView}>
          <RotateCounterClockwiseIcon />
        </button>
        <ToolButton label={texts.review.search.phrase} keys="Ctrl F" onClick={startSearch}>
          <MagnifyingGlassIcon />
        </ToolButton>
        {pages.length > 1 && <span className="page-of">{texts.review.pageOf(current, pages.length)}</span>}
      </div>
      <div className="viewer-body">
        {pages.length > 1 && (
          <ul className="thumbnails" aria-label={texts.review.thumbnails}>
            {pages.map((page) => (
              <li key={page.id}>
                <button
                  type="button"
                  aria-label={texts.review.pageOf(page.number, pages.length)}
                  aria-current={page.number === current}
                  onClick={() => show(page.number)}
                >
                  <PageImage of={`${page.url}/preview`} alt="" loading="lazy" {...shapeOf(page)} />
                  <span>{page.number}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
        <section className="pages" ref={scroller} onScroll={onScroll} aria-label={texts.review.thumbnails} tabIndex={0}>
          {pages.map((page) => {
            const own = marksByPage.get(page.number) ?? NO_MARKS;
            const here = (id: number | null) => (own.some((mark) => mark.id === id) ? id : null);
            return (
              <PageSheet
                key={page.id}
                {...calls}
                annotationId={annotationId}
                page={page}
                zoom={zoom}
                turn={turn}
                marks={own}
                found={search.byPage.get(page.number)}
                activeId={here(activeId)}
                hoveredId={here(hoveredId)}
                hasWords={props.onCapture !== undefined}
                takes={props.onCapture !== undefined && (activeId !== null || props.takesFrames === true)}
                renderOver={props.renderOver}
              />
            );
          })}
        </section>
      </div>
    </div>
  );
}

/** Room around the active frame, to the sides and above and below. */
const MARK_MARGIN_PX = [40, 90] as const;

/** Scrolls a box until an element is seen in it, and nothing around the box: the field with the focus stays where it is. */
function showIn(box: Element, element: Element): void {
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  const [x, y] = MARK_MARGIN_PX;
  const by = (from: number, to: number, start: number, end: number) =>
    from < start ? from - start : to > end ? Math.min(to - end, from - start) : 0;
  box.scrollBy({
    left: by(inner.left - x, inner.right + x, outer.left, outer.right),
    top: by(inner.top - y, inner.bottom + y, outer.top, outer.bottom),
  });
}

const NO_MARKS: readonly Mark[] = [];

interface SheetProps extends Required<Omit<ViewerProps, 'pages' | 'controls' | 'takesFrames' | 'renderOver'>> {
  readonly page: PageObject;
  readonly zoom: number;
  readonly turn: Turn;
  /** What was looked for. */
  readonly found: readonly { readonly box: Box; readonly isCurrent: boolean }[] | undefined;
  /** Values may be taken from the page. */
  readonly hasWords: boolean;
  /** A field waits for a value from the page, or a frame for the table. */
  readonly takes: boolean;
  readonly renderOver: ViewerProps['renderOver'];
}

/** One page: its image, the frames of fields, and the word or frame under the pointer. */
const PageSheet = memo(function PageSheet({
  page,
  zoom,
  turn,
  annotationId,
  marks,
  found,
  activeId,
  hoveredId,
  onHover,
  onPick,
  onCapture,
  hasWords,
  takes,
  renderOver,
}: SheetProps) {
  const words = useQuery({ ...queries.words(annotationId, page.number), enabled: hasWords });
  const [size, setSize] = useState(sizeOf(page));
  const [isBroken, setBroken] = useState(false);
  const [from, setFrom] = useState<Point | null>(null);
  const [to, setTo] = useState<Point | null>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const [width, height] = size;
  const printed = useMemo(
    (): Printed => ({
      width,
      values: marks.map(({ box }) => box),
      words: words.data?.map(({ position }) => position) ?? [],
    }),
    [width, marks, words.data],
  );
  const lies = turn === 90 || turn === 270;

  const pointOf = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top, width: w, height: h } = (sheet.current as HTMLDivElement).getBoundingClientRect();
    const clamp = (value: number) => Math.min(1, Math.max(0, value));
    return unturn({ x: clamp((clientX - left) / w), y: clamp((clientY - top) / h) }, turn);
  };
  const isClick = (a: Point, b: Point) => {
    const shown = sheet.current?.clientWidth ?? 1;
    return Math.hypot((a.x - b.x) * shown, (a.y - b.y) * shown * (height / width)) < CLICK_PX;
  };
  const word = from === null && to ? wordAt(words.data ?? [], to, width, height) : undefined;
  const frame = from && to && !isClick(from, to) ? boxBetween(from, to, width, height) : undefined;

  const onDown = (event: PointerEvent) => {
    // Otherwise the field loses the focus, and with it what the click is for.
    event.preventDefault();
    if (!hasWords || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setFrom(pointOf(event));
    setTo(pointOf(event));
  };
  const onUp = (event: PointerEvent) => {
    if (!from) return;
    const end = pointOf(event);
    setFrom(null);
    const clicked = isClick(from, end) ? wordAt(words.data ?? [], end, width, height)?.position : undefined;
    const box = isClick(from, end) ? clicked : boxBetween(from, end, width, height);
    if (box && takes) onCapture(page, box, clicked === undefined);
    else if (clicked || box) return;
    const picked = marks.find(({ box: mark }) => isInside(mark, end, width, height));
    if (!box && picked) onPick(picked.id);
  };

  const style = (box: Box) => ({
    left: `${(box[0] / width) * 100}%`,
    top: `${(box[1] / height) * 100}%`,
    width: `${((box[2] - box[0]) / width) * 100}%`,
    height: `${((box[3] - box[1]) / height) * 100}%`,
  });
  return (
    <div className="sheet-place" data-page={page.number} style={{ width: `${zoom * 100}%` }}>
      <div className="sheet-frame" style={{ aspectRatio: lies ? `${height} / ${width}` : `${width} / ${height}` }}>
        <div
          ref={sheet}
          className={takes ? 'sheet takes' : 'sheet'}
          style={{
            width: lies ? `${(width / height) * 100}%` : '100%',
            height: lies ? `${(height / width) * 100}%` : '100%',
            transform: `translate(-50%, -50%) rotate(${turn}deg)`,
          }}
          onPointerDown={onDown}
          onPointerMove={(event) => setTo(pointOf(event))}
          onPointerUp={onUp}
          onPointerLeave={() => from === null && setTo(null)}
        >
          {isBroken ? (
            <p className="no-image">{texts.review.noImage}</p>
          ) : (
            <PageImage
              of={page.content}
              alt={texts.review.pageImage(page.number)}
              draggable={false}
              loading={page.number > 1 ? 'lazy' : 'eager'}
              onBroken={() => setBroken(true)}
              onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize([naturalWidth, naturalHeight])}
            />
          )}
          {marks.map(({ id, box, label, needs }) => (
            <div
              key={id}
              className={`mark${needs ? ' needs' : ''}${id === activeId ? ' active' : ''}${id === hoveredId ? ' hovered' : ''}`}
              style={style(box)}
              onPointerEnter={() => onHover(id)}
              onPointerLeave={() => onHover(null)}
            >
              {(id === activeId || id === hoveredId) && (
                <MarkName label={label} box={box} printed={printed} zoom={zoom} onPick={() => onPick(id)} />
              )}
            </div>
          ))}
          {found?.map(({ box, isCurrent }) => (
            <div key={box.join()} className={isCurrent ? 'found current' : 'found'} style={style(box)} />
          ))}
          {renderOver?.({ page: page.number, width, height, pointOf })}
          {word && takes && <div className="word" style={style(word.position)} />}
          {frame && <div className="frame" style={style(frame)} />}
        </div>
      </div>
    </div>
  );
});

/** The name of the field that a frame belongs to, where it hides least of what is printed. */
function MarkName({
  label,
  box,
  printed,
  zoom,
  onPick,
}: {
  readonly label: string;
  readonly box: Box;
  readonly printed: Printed;
  readonly zoom: number;
  readonly onPick: () => void;
}) {
  const name = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState<NamePlace>('above-left');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the zoom changes what is measured
  useLayoutEffect(() => {
    const { current: button } = name;
    const sheet = button?.closest('.sheet');
    if (!button || !sheet) return;
    const scale = printed.width / sheet.clientWidth;
    const size = [(button.offsetWidth + NAME_GAP_PX) * scale, (button.offsetHeight + NAME_GAP_PX) * scale] as const;
    setPlace(placeOfName(box, size, printed));
  }, [box, printed, zoom]);
  return (
    <button
      ref={name}
      type="button"
      tabIndex={-1}
      className={`mark-name ${place}`}
      onPointerDown={(event) => event.stopPropagation()}
      onClick={onPick}
    >
      {label}
    </button>
  );
}

/** The size of the image of a page: the page's own is that before it was turned. */
function sizeOf({ width, height, rotation_deg: turned }: PageObject): readonly [number, number] {
  if (!width || !height) return A4;
  return turned === 90 || turned === 270 ? [height, width] : [width, height];
}

/** Room for an image that is not there yet. */
function shapeOf(page: PageObject) {
  const [width, height] = sizeOf(page);
  return { width, height };
}

function isInside([left, top, right, bottom]: Box, { x, y }: Point, width: number, height: number): boolean {
  return x * width >= left && x * width <= right && y * height >= top && y * height <= bottom;
}
