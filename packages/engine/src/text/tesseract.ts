import koffi, { type LibraryHandle } from 'koffi';
import type { Gray } from './skew';

/** The library of Tesseract 5, as packages of the system name it. */
export const TESSERACT_LIBRARY = process.platform === 'darwin' ? 'libtesseract.5.dylib' : 'libtesseract.so.5';

/** How a page is taken apart: Tesseract's page segmentation modes. */
export const LAYOUTS = { turn: 0, automatic: 3, oneBlock: 6, sparse: 11 } as const;
export type Layout = (typeof LAYOUTS)[keyof typeof LAYOUTS];

/** Tesseract in this process. It reads one picture after the other. */
export interface Tesseract {
  /** Codes of what it has data for: languages, and `osd`, with which it finds the direction of a page. */
  readonly languages: readonly string[];
  /**
   * Reads a picture of 300 DPI.
   *
   * @returns Tesseract's table: level, page, block, paragraph, line, word, left, top, width, height, confidence, text
   * @throws Error when it fails, or takes longer
   */
  readTable(picture: Gray, language: string, layout: Layout, timeoutMs: number): Promise<string>;
  /** Clockwise turn, in degrees, after which the text of a picture reads from left to right; undefined when it cannot be told. */
  findTurn(picture: Gray): Promise<number | undefined>;
}

/** Languages that are kept ready: one takes some 15 MB, and to make it ready a tenth of a second of the processor. */
const MOST_READY = 4;
const DPI = '300';
/** Turns that are less certain are as often wrong. */
const LEAST_CERTAINTY = 1;

const opened = new Map<string, Tesseract | undefined>();

/** Loads Tesseract, once; undefined: it is not installed. */
export function openTesseract(library: string): Tesseract | undefined {
  if (!opened.has(library)) {
    const api = loadApi(library);
    opened.set(library, api && createTesseract(api));
  }
  return opened.get(library);
}

function createTesseract(api: Api): Tesseract {
  const ready = new Map<string, Reader>();
  const readerOf = (language: string): Reader => {
    const reader = ready.get(language) ?? createReader(api, language);
    ready.delete(language);
    ready.set(language, reader);
    const [oldest] = ready;
    if (oldest && ready.size > MOST_READY) {
      ready.delete(oldest[0]);
      api.remove(oldest[1]);
    }
    return reader;
  };
  let last: Promise<unknown> = Promise.resolve();
  /** Shows a picture to the reader of a language, when it is its turn, and lets `ask` ask about it. */
  const look = <T>(
    { data, width, height }: Gray,
    language: string,
    layout: Layout,
    ask: (reader: Reader) => Promise<T>,
  ) => {
    const task = async () => {
      const reader = readerOf(language);
      api.setLayout(reader, layout);
      api.setImage(reader, data, width, height, 1, width);
      return ask(reader).finally(() => api.clear(reader));
    };
    const answer = last.then(task, task);
    last = answer;
    return answer;
  };
  return {
    languages: listLanguages(api),
    readTable: (picture, language, layout, timeoutMs) =>
      look(picture, language, layout, async (reader) => {
        await recognize(api, reader, timeoutMs);
        return api.table(reader, 0);
      }),
    findTurn: (picture) =>
      look(picture, 'osd', LAYOUTS.turn, async (reader) => {
        const [degrees, certainty] = [[0], [0]] as [[number], [number]];
        const isFound = await inBackground<boolean>(api.findDirection, reader, degrees, certainty, [null], [0]);
        return isFound && certainty[0] > LEAST_CERTAINTY ? (360 - degrees[0]) % 360 : undefined;
      }),
  };
}

async function recognize(api: Api, reader: Reader, timeoutMs: number): Promise<void> {
  const monitor = api.createMonitor();
  try {
    api.setDeadline(monitor, timeoutMs);
    const code = await inBackground<number>(api.recognize, reader, monitor);
    if (code !== 0) throw new Error(`Tesseract failed, or took more than ${timeoutMs} ms`);
  } finally {
    api.removeMonitor(monitor);
  }
}

function createReader(api: Api, language: string): Reader {
  const reader = createQuietly(api);
  if (api.init(reader, null, language) !== 0) {
    api.remove(reader);
    throw new Error(`Tesseract cannot read its data for ${language}`);
  }
  api.setVariable(reader, 'user_defined_dpi', DPI);
  return reader;
}

function listLanguages(api: Api): string[] {
  const reader = createQuietly(api);
  // There is no such language, but now it knows where its data are.
  api.init(reader, null, '-');
  const list = api.listLanguages(reader);
  const names: string[] = [];
  for (let name = readText(list, 0); name !== null; name = readText(list, names.length)) names.push(name);
  api.removeList(list);
  api.remove(reader);
  return names.filter((name) => /^[a-z]{3}(_\w+)?$/.test(name));
}

/** What it says of pages goes nowhere: it is said of each that is empty. */
function createQuietly(api: Api): Reader {
  const reader = api.create();
  api.setVariable(reader, 'debug_file', '/dev/null');
  return reader;
}

/** A reader of one language (`TessBaseAPI`), as an address. */
type Reader = bigint;
type Api = NonNullable<ReturnType<typeof loadApi>>;

const POINTER_BYTES = 8;
const readText = (list: bigint, index: number): string | null => koffi.decode(list, index * POINTER_BYTES, 'str');

/** As much as a program has; Koffi gives a call in the background much less, and nothing would tell that it is not enough. */
const STACK_BYTES = 8 * 1024 ** 2;

/** Tesseract's C API (`tesseract/capi.h`); undefined: there is no such library. */
function loadApi(name: string) {
  // Its own threads only get into each other's way (10 times slower under load). It looks when it is loaded.
  process.env.OMP_THREAD_LIMIT = '1';
  if (koffi.config().async_stack_size !== STACK_BYTES) koffi.config({ async_stack_size: STACK_BYTES });
  let library: LibraryHandle;
  try {
    library = koffi.load(name);
  } catch {
    return undefined;
  }
  const text = koffi.disposable('str', library.func('void TessDeleteText(void *text)'));
  return {
    create: library.func('void *TessBaseAPICreate()'),
    remove: library.func('void TessBaseAPIDelete(void *reader)'),
    init: library.func('int TessBaseAPIInit3(void *reader, const char *folder, const char *language)'),
    setVariable: library.func('int TessBaseAPISetVariable(void *reader, const char *name, const char *value)'),
    setLayout: library.func('void TessBaseAPISetPageSegMode(void *reader, int layout)'),
    setImage: library.func('void TessBaseAPISetImage(void *reader, void *data, int w, int h, int bytes, int line)'),
    clear: library.func('void TessBaseAPIClear(void *reader)'),
    createMonitor: library.func('void *TessMonitorCreate()'),
    removeMonitor: library.func('void TessMonitorDelete(void *monitor)'),
    setDeadline: library.func('void TessMonitorSetDeadlineMSecs(void *monitor, int ms)'),
    recognize: library.func('int TessBaseAPIRecognize(void *reader, void *monitor)'),
    table: library.func('TessBaseAPIGetTsvText', text, ['void *', 'int']),
    findDirection: library.func(
      'bool TessBaseAPIDetectOrientationScript(void *reader, _Out_ int *degrees, _Out_ float *certainty, _Out_ void **script, _Out_ float *ofScript)',
    ),
    listLanguages: library.func('void *TessBaseAPIGetAvailableLanguagesAsVector(void *reader)'),
    removeList: library.func('void TessDeleteTextArray(void *list)'),
  };
}

/** Calls what takes long on another thread, so that this one goes on. */
function inBackground<T>(call: KoffiFunction, ...args: unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    call.async(...args, (error: unknown, result: T) => (error ? reject(error) : resolve(result)));
  });
}

type KoffiFunction = ReturnType<LibraryHandle['func']>;
