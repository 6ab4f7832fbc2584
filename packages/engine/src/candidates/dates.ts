import { normalize } from '../layout/page-layout';

const MONTHS: string[][] = [
  'jan january januar janvier janv gennaio gen enero ene januari ianuarie ian leden ledna januara styczen stycznia janeiro tammikuu januar jaan januarja sijecanj sijecnja sausis sausio sausi janvaris janvari jaanuar ocak'.split(
    ' ',
  ),
  'feb february februar fevrier fevr fev febbraio febrero februari unor unora februara luty lutego fevereiro helmikuu februarja veljaca veljace vasaris vasario februaris veebruar subat'.split(
    ' ',
  ),
  'mar march marz maerz mars marzo maart mrt brezen brezna marca marec marzec marco maaliskuu marcius mrz martie ozujak ozujka kovas kovo marts marta marti mart'.split(
    ' ',
  ),
  'apr april avril avr aprile abril abr duben dubna aprila kwiecien kwietnia huhtikuu aprilis aprilie travanj travnja balandis balandzio aprili nisan'.split(
    ' ',
  ),
  'may mai maj maggio mag mayo mei kveten kvetna maja maio toukokuu majus svibanj svibnja geguze geguzes maijs maija mayis'.split(
    ' ',
  ),
  'jun june juni juin giugno giu junio iunie iun cerven cervna juna czerwiec czerwca junho kesakuu junius junija lipanj lipnja birzelis birzelio junijs junijam haziran'.split(
    ' ',
  ),
  'jul july juli juillet juil luglio lug julio iulie iul cervenec cervence jula lipiec lipca julho heinakuu julius julija srpanj srpnja liepa liepos julijs juuli temmuz'.split(
    ' ',
  ),
  'aug august aout agosto ago augustus srpen srpna augusta sierpien sierpnia elokuu augusztus augusti avgusta kolovoz kolovoza rugpjutis rugpjucio augusts agustos avgust'.split(
    ' ',
  ),
  'sep sept september septembre settembre set septiembre setiembre zari septembra wrzesien wrzesnia setembro syyskuu szeptember septembrie rujan rujna rugsejis rugsejo septembris eylul'.split(
    ' ',
  ),
  'oct october oktober okt octobre ottobre ott octubre rijen rijna oktobra pazdziernik pazdziernika outubro out lokakuu octombrie spalis spalio oktobris ekim'.split(
    ' ',
  ),
  'nov november novembre noviembre noiembrie noi listopad listopadu novembra listopada novembro marraskuu studeni studenoga studenog lapkritis lapkricio novembris kasim'.split(
    ' ',
  ),
  'dec december dezember dez decembre dicembre dic diciembre prosinec prosince decembra grudzien grudnia dezembro joulukuu des desember decembrie prosinac prosinca gruodis gruodzio decembris detsember aralik'.split(
    ' ',
  ),
];
const MONTH_OF = new Map(MONTHS.flatMap((names, index) => names.map((name) => [name, index + 1] as const)));

/** A date as it stands in a text. */
export interface FoundDate {
  /** ISO date; with day and month as printed when `ambiguous`. */
  iso: string;
  /** Set when day and month could be the other way round. */
  swapped?: string;
  start: number;
  end: number;
}

const SEPARATED = /(?<![\d.,/-])(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|20\d \d|\d{2})(?!\d|[.,/-]\d|\/\p{L})/gu;
/** "14/5-2024", as it is written in the Nordic countries. */
const NORDIC = /(?<![\d.,/-])(\d{1,2})\/(\d{1,2})(?:\s?-\s?(\d{4}|\d{2})|\s(\d{4}))(?![\d/-])/g;
const ISO = /(?<![\d.,/-])((?:19|20)\d{2})\s?([-./])\s?(\d{1,2})\s?\2\s?(\d{1,2})(?!\d)/g;
const DAY_NAME_YEAR =
  /(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|º)?[\s.\-/,]*(?:de |of )?(\p{L}{3,12})[\s.\-/,]+(?:de |del )?'?(\d{4}|\d{2})(?![\d%])/giu;
const NAME_DAY_YEAR = /(\p{L}{3,12})[\s.\-/]*(\d{1,2})(?:st|nd|rd|th)?[\s,.\-/]+(\d{4})(?!\d)/giu;
/** "2025 Jan 27", in Lithuanian "2025 m. sausio 27 d.". */
const YEAR_NAME_DAY = /(?<!\d)((?:19|20)\d{2})[\s.\-/]+(?:m\.? )?(\p{L}{3,12})[\s.\-/]+(\d{1,2})(?!\d)/giu;
/** In Latvian "2025. gada 13. februārī". */
const YEAR_DAY_NAME = /(?<!\d)((?:19|20)\d{2})\.? gada (\d{1,2})\.? (\p{L}{3,12})/giu;
const COMPACT = /(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)/g;

/** All dates of a text, in the order in which they stand. */
export function findDates(text: string, monthFirst = false): FoundDate[] {
  const found: FoundDate[] = [];
  const add = (match: RegExpExecArray, iso: string | undefined, swapped?: string) => {
    const start = match.index;
    const end = start + match[0].length;
    if (!iso || found.some((one) => start < one.end && end > one.start)) return;
    found.push({ iso, start, end, ...(swapped && swapped !== iso && { swapped }) });
  };
  for (const match of text.matchAll(ISO)) add(match, isoDate(match[1]!, match[3]!, match[4]!));
  for (const match of text.matchAll(DAY_NAME_YEAR)) {
    add(match, isoDate(match[3]!, monthNumber(match[2]!), match[1]!));
  }
  for (const match of text.matchAll(NAME_DAY_YEAR)) {
    add(match, isoDate(match[3]!, monthNumber(match[1]!), match[2]!));
  }
  for (const match of text.matchAll(YEAR_NAME_DAY)) {
    add(match, isoDate(match[1]!, monthNumber(match[2]!), match[3]!));
  }
  for (const match of text.matchAll(YEAR_DAY_NAME)) {
    add(match, isoDate(match[1]!, monthNumber(match[3]!), match[2]!));
  }
  for (const match of text.matchAll(NORDIC)) add(match, isoDate(match[3] ?? match[4]!, match[2]!, match[1]!));
  for (const match of text.matchAll(SEPARATED)) {
    const [, first, mark, second, printed] = match as unknown as [string, string, string, string, string];
    // OCR sees spaces in "201 3".
    const year = printed.replace(' ', '');
    const dayFirst = isoDate(year, second, first);
    const other = mark === '.' ? undefined : isoDate(year, first, second);
    if (monthFirst && other) add(match, other, dayFirst);
    else add(match, dayFirst ?? other, dayFirst ? other : undefined);
  }
  return found.sort((a, b) => a.start - b.start);
}

/** What OCR takes for other digits, where only some can stand: "30/61/2018", "11/03/2824", "2078". */
const AS_TENS: Record<string, string> = { 4: '1', 6: '0', 7: '1', 8: '0', 9: '0' };
const DIGITS = /(?<![\d.,/-])(\d\d)([./-])(\d\d)\2(\d{4}|\d\d)(?!\d|[.,/-]\d)/g;
const mendTens = (two: string) => (AS_TENS[two[0]!] ?? two[0]!) + two[1]!;

/** "16-Nov-2616", "99 Jul 2018" */
const NAMED = /(?<![\d.,])(\d\d)([\s./-]{1,2}\p{L}{3,9}[\s./-]{1,2})(2\d{3})(?!\d)/gu;

/** A text that OCR has read, with a digit put right that no date can have in its place. Its length stays. */
export function mendDates(text: string): string {
  const named = text
    .replace(/(?<=\d[\s./-]{1,2})0(?=ct)|(?<=\d[\s./-]{1,2}n)0(?=v)/gi, 'o')
    .replace(NAMED, (printed, day: string, month: string, year: string) => {
      const century = Number(year) > 2099 ? `20${year.slice(2)}` : year;
      const readings = [day, mendTens(day)].map((one) => one + month + century);
      return readings.find((reading) => findDates(reading).length > 0) ?? printed;
    });
  return named.replace(DIGITS, (printed, first: string, mark: string, second: string, year: string) => {
    const century = Number(year) > 2099 ? `20${year.slice(2)}` : year;
    const mended = /^207\d$/.test(century) ? century.replace('7', '1') : century;
    const readings = [
      [first, second],
      [first, mendTens(second)],
      [mendTens(first), second],
      [mendTens(first), mendTens(second)],
    ].map((days) => [...days, mended].join(mark));
    return readings.find((reading) => findDates(reading).length > 0) ?? printed;
  });
}

/** Dates written without separators (`20240131`); only where a label says that it is one. */
export function findCompactDate(text: string): string | undefined {
  for (const match of text.matchAll(COMPACT)) return isoDate(match[1]!, match[2]!, match[3]!);
  return undefined;
}

/** True when some date of the document can only be read as month before day, and none only as day before month. */
export function isMonthFirst(texts: Iterable<string>): boolean | undefined {
  let dayFirst = 0;
  let monthFirst = 0;
  for (const text of texts) {
    for (const [, first, mark, second] of text.matchAll(SEPARATED)) {
      if (mark === '.') continue;
      if (Number(first) > 12 && Number(second) <= 12) dayFirst++;
      if (Number(second) > 12 && Number(first) <= 12) monthFirst++;
    }
  }
  if (dayFirst === 0 && monthFirst === 0) return undefined;
  return monthFirst > dayFirst;
}

function monthNumber(name: string): string {
  // Finnish: "4. maaliskuuta".
  const plain = (normalize(name)[0] ?? '').replace(/kuuta$/, 'kuu');
  return String(MONTH_OF.get(plain) ?? (plain.length > 3 ? MONTH_OF.get(plain.slice(0, 3)) : 0) ?? 0);
}

function isoDate(year: string, month: string, day: string): string | undefined {
  const y = year.length === 2 ? 2000 + Number(year) - (Number(year) > 69 ? 100 : 0) : Number(year);
  const m = Number(month);
  const d = Number(day);
  if (y < 1970 || y > 2099 || m < 1 || m > 12 || d < 1 || d > new Date(Date.UTC(y, m, 0)).getUTCDate())
    return undefined;
  return `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
}
