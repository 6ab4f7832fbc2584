import {
  isCheckedGstin,
  isIco,
  isLuhn,
  isNif,
  isTaxCode,
  mendCountry,
  namesItself,
  readVatId,
} from '../candidates/identifiers';
import type { Key } from '../candidates/key-phrases';
import type { Placed } from '../candidates/labelled';
import type { Role } from '../candidates/parties/party';
import { roleOf } from '../candidates/parties/party-labels';
import { findGroupedNumbers, type Reference } from '../candidates/references';
import { type Token, unite } from '../layout/page-layout';
import { isBeside, linesBetween } from '../layout/relations';
import { findBritishAccounts } from './accounts';
import { WEIGHTS } from './confidence';
import { type Findings, fromValue, labelHints, type Put, pairs, type Scored } from './findings';

/** VAT numbers and numbers of registers belong to the party in whose block or column they stand. */
export function scoreRegistrations(findings: Findings, put: Put): void {
  const dates = new Set(findings.values.flatMap(({ type, tokens }) => (type === 'date' ? tokens : [])));
  const accounts = new Set(
    findings.pages.flatMap((page) => findBritishAccounts(page)).flatMap(({ bank, account }) => [bank, account]),
  );
  const numbers = findings.pages
    .flatMap((page) => findGroupedNumbers(page))
    .filter(({ tokens }) => !tokens.every((token) => dates.has(token)) && !tokens.some((token) => accounts.has(token)));
  const typed = findings.values.filter((value) => value.type === 'vat');
  const typedTokens = new Set(typed.flatMap((value) => value.tokens));
  const found: Registration[] = [];
  const keyed = pairs(findings, 'vat_id', typed);
  for (const value of typed) {
    const pair = keyed.find((one) => one.value === value);
    if (!pair && value.checked !== true && !namesItself(value.value)) continue;
    const score =
      (pair ? Math.max(0.6, pair.score) : -0.2) + (value.checked ? 0.8 : value.checked === false ? -0.3 : 0.2);
    found.push({
      kind: 'vat_id',
      scored: fromValue(value, score, pair ? labelHints(pair) : {}),
      role: roleAt(findings, value, pair?.key),
      key: pair?.key,
    });
  }
  for (const scored of looseTaxNumbers(findings)) {
    found.push({
      kind: 'vat_id',
      scored,
      role: roleAt(findings, atFirstWord(scored), undefined),
      key: undefined,
    });
  }
  for (const scored of numbersBeforeRegister(findings)) {
    found.push({ kind: 'ic', scored, role: roleAt(findings, atFirstWord(scored), undefined), key: undefined });
  }
  // Slovak invoices have two tax numbers: "DIČ" is that of the VAT in Czechia only.
  const isSlovak = findings.keys.some(({ phrase }) => /^ic (?:pre )?dph/.test(phrase));
  for (const kind of ['vat_id', 'ic', 'dic'] as const) {
    for (const pair of pairs(findings, kind, numbers)) {
      const { value, key, score } = pair;
      if (value.tokens.some((token) => typedTokens.has(token)) && kind === 'vat_id') continue;
      const isOcr = findings.pages[value.page - 1]!.source === 'ocr';
      if (kind === 'vat_id' && isSlovak && key.phrase === 'dic') continue;
      const normalized = registration(kind, value, key, isOcr);
      if (!normalized || score < 0.3) continue;
      const scored = {
        value: normalized.value,
        raw: value.raw,
        page: value.page,
        box: value.box,
        tokens: value.tokens,
        score: score + normalized.bonus,
        hints: { ...labelHints(pair), checked: normalized.bonus > 0 ? 1 : normalized.bonus < 0 ? -1 : 0 },
      };
      found.push({ kind, scored, role: roleAt(findings, value, key), key });
    }
  }
  // A limited partnership is in register A; register B has the company that manages it.
  if (found.some((one) => one.kind === 'ic' && isRegister(one.key, 'hra')))
    for (const one of found) if (one.kind === 'ic' && isRegister(one.key, 'hrb')) one.scored.score += PARTNER;
  for (const one of found) {
    const same = one.kind === 'ic' ? findVatIdOf(one, found) : undefined;
    if (same) one.role = same.role;
  }
  for (const kind of ['vat_id', 'ic', 'dic'] as const) {
    const all = found.filter((one) => one.kind === kind);
    // "SE556677889901" is the VAT number, although the label of the company number stands near.
    const own = all.filter(({ scored }) => kind !== 'ic' || !scored.tokens.some((token) => typedTokens.has(token)));
    const list = (own.length > 0 ? own : all).filter((one, _, others) => isOwnersReading(one, others));
    const sender = list.filter((one) => one.role === 'sender');
    const recipient = list.filter((one) => one.role === 'recipient');
    // What stands in nobody's block is the sender's: in the head or the foot of the letter.
    const open = list.filter(
      (one) => one.role === undefined && !recipient.some((other) => other.scored.value === one.scored.value),
    );
    put(
      `sender_${kind}`,
      [
        ...sender,
        ...open.map((one) => ({
          ...one,
          scored: { ...one.scored, score: one.scored.score - 0.4, hints: { ...one.scored.hints, nobodys: 1 } },
        })),
      ].map((one) => one.scored),
    );
    // The sender's number may stand near the recipient's address again; only inside of it is it the recipient's, too.
    const senders = new Set(sender.map((one) => one.scored.value));
    put(
      `recipient_${kind}`,
      recipient
        .filter(({ scored }) => !senders.has(scored.value) || isInside(findings, 'recipient', scored))
        .map((one) => one.scored),
    );
  }
}

interface Registration {
  kind: 'vat_id' | 'ic' | 'dic';
  scored: Scored;
  role: Role | undefined;
  key: Key | undefined;
}

/** The VAT number that a number of a company is part of, as in many countries: both belong to one party. */
function findVatIdOf({ scored }: Registration, all: Registration[]): Registration | undefined {
  const digits = scored.value.replace(/\D/g, '');
  if (digits.length < 7) return undefined;
  return all.find(
    ({ kind, scored: { value, tokens } }) =>
      kind === 'vat_id' && tokens[0] !== scored.tokens[0] && value.includes(digits),
  );
}

/** A printed number that labels of both parties announce belongs to one of them: where the label fits best. */
const isOwnersReading = (one: Registration, all: Registration[]) =>
  !all.some(
    (other) =>
      other.scored.tokens[0] === one.scored.tokens[0] &&
      other.role !== one.role &&
      other.scored.score > one.scored.score,
  );

/** Whether something stands among the lines of a party. */
const isInside = ({ parties }: Findings, role: Role, { page, box }: Scored) =>
  box !== null &&
  parties.some(
    (party) =>
      party.role === role &&
      party.page === page &&
      box[0] >= party.box[0] - 1 &&
      box[1] >= party.box[1] - 1 &&
      box[2] <= party.box[2] + 1 &&
      box[3] <= party.box[3] + 1,
  );

/** What a number of the managing company is less likely the sender's, in logits. */
const PARTNER = -1.5;

const isRegister = (key: Key | undefined, register: 'hra' | 'hrb'): boolean =>
  key?.phrase.split(' ').includes(register) ?? false;

/** Spanish and Indian tax numbers stand alone under the name; their check character tells them from other codes. */
function looseTaxNumbers({ pages }: Findings): Scored[] {
  return pages.flatMap((page) =>
    page.segments.flatMap(({ tokens }) => {
      const [token] = tokens;
      const value = token?.text.replace(/[-.]/g, '') ?? '';
      if (!token || tokens.length !== 1 || !(isNif(value) || isCheckedGstin(value))) return [];
      const { page, box } = token;
      return [{ value, raw: token.text, page, box, tokens, score: 0.4, hints: { checked: 1 } }];
    }),
  );
}

/** Labels of French registers. */
const FRENCH = /(?:^| )(?:r ?c ?s|siren|siret)(?: |$)/;

/** "552 081 317 RCS Nantes": the number stands before the name of its register. */
function numbersBeforeRegister({ pages }: Findings): Scored[] {
  return pages.flatMap((page) =>
    page.segments.flatMap(({ tokens }) =>
      tokens.flatMap((token, at) => {
        if (!/^R\.?C\.?S\.?$/i.test(token.text)) return [];
        const count = [1, 3].find((count) => isSiren(tokens.slice(Math.max(0, at - count), at)));
        if (!count) return [];
        const own = tokens.slice(at - count, at);
        const raw = own.map(({ text }) => text).join(' ');
        const box = unite(own.map((one) => one.box));
        const value = raw.replace(/ /g, '');
        return [{ value, raw, page: token.page, box, tokens: own, score: 1, hints: { checked: 1 } }];
      }),
    ),
  );
}

const isSiren = (tokens: Token[]): boolean => {
  const number = tokens.map(({ text }) => text).join('');
  return /^\d{9}$/.test(number) && isLuhn(number);
};

function registration(
  kind: 'vat_id' | 'ic' | 'dic',
  { value }: Reference,
  key: Key,
  isOcr: boolean,
): { value: string; bonus: number } | undefined {
  const compact = value.replace(/[\s.\u00a0]/g, '');
  const digits = compact.replace(/\D/g, '');
  if (kind !== 'ic' && isTaxCode(compact)) return { value: compact, bonus: 0.6 };
  if (kind === 'vat_id') {
    if (/(?:^| )(?:ico|ic)$/.test(key.phrase) || digits.length < 7 || digits.length > 15) return undefined;
    const mended = isOcr ? mendCountry(compact) : compact;
    const withCountry = readVatId(mended);
    return {
      value: mended.replace(/[-/](?=\d{1,2}(-|$))/g, '-'),
      bonus: withCountry?.checked ? 0.6 : digits.length < 8 ? -1 : 0,
    };
  }
  if (kind === 'ic') {
    // Numbers of German registers may be short.
    const least = /(?:^| )(?:hr[ab]|vr|vereinsregister)(?: |$)/.test(key.phrase) ? 2 : 5;
    if (digits.length < least || digits.length > 14) return undefined;
    // "RCS Nantes - 14 quai de la Fosse, 44000 Nantes": the numbers of French companies have nine digits or fourteen.
    if (FRENCH.test(key.phrase) && /^\d{1,8}$/.test(compact)) return undefined;
    // "FN 318842k": in Austria a letter checks the number.
    if (/^\d{5,6}[a-z]$/.test(compact) && /(?:^| )(?:fn|firmenbuch\p{L}*)(?: |$)/u.test(key.phrase))
      return { value: compact, bonus: WEIGHTS.checkHolds / 2 };
    const known = isIco(digits) || ((digits.length === 9 || digits.length === 14) && isLuhn(digits));
    return { value: digits, bonus: known ? WEIGHTS.checkHolds / 2 : 0 };
  }
  if (digits.length < 8 || digits.length > 16) return undefined;
  return { value: compact, bonus: /^[A-Z]{2}\d/.test(compact) ? -0.8 : 0 };
}

const OF_RECIPIENT =
  /\b(?:ihre|your|customer|client|kunden|votre|vase|buyer|recipient|uw|vevo|v no|v n|v nif|v nipc|vosso|vostra|vs|cliente|clientului|kunde|kundens|klant|klienta|nabywcy|odberatele|odberatela|zakaznika|asiakkaan|ostajan|koper|comprador|acheteur|preneur|acquirente|cessionario|committente|destinatario|(?:leistungs|rechnungs)empfangers?|auftraggebers?|cumparator|cumparatorului)\b/;

/** The words of a label's text, up to the number it announces: what stands behind that is another matter. */
function wordsBefore(key: Key, value: Pick<Placed, 'box' | 'page'>): string {
  const all = key.tokens[0]!.segment.tokens;
  const words = isBeside(key, value) ? all.filter(({ box }) => box[0] < value.box[0]) : all;
  return words.flatMap(({ parts }) => parts).join(' ');
}

const atFirstWord = ({ tokens }: Scored): Placed => ({ ...tokens[0]!, tokens });

/** "Odběratel: IČ: 46611038" over the name: a label of a party that is found under it. */
const announcesParty = ({ parties, pages }: Findings, key: Key): boolean =>
  /:$/.test(key.tokens.at(-1)!.text) &&
  parties.some(
    ({ role, page, box }) =>
      role === roleOf(key) &&
      page === key.page &&
      box[1] > key.box[1] &&
      Math.abs(box[0] - key.box[0]) < pages[page - 1]!.unit,
  );

/** Whether a label of anything but the number of a party stands between two in a line. */
const isBetween = (one: Key, left: Key, right: Key): boolean =>
  one.page === left.page &&
  isBeside(one, left) &&
  one.box[0] > left.box[2] &&
  one.box[2] < right.box[0] &&
  !one.meanings.some(({ field }) => /^(?:vat_id|ic|dic)$/.test(field));

/** Whose a number is: by the words of its label, else by the block it stands in or under. */
function roleAt(findings: Findings, placed: Placed, key: Key | undefined): Role | undefined {
  const page = findings.pages[placed.page - 1]!;
  const text = key ? wordsBefore(key, placed) : '';
  if (key && OF_RECIPIENT.test(text)) return 'recipient';
  const named = findings.keys.findLast(
    (one) =>
      one.page === placed.page && isBeside(one, placed) && one.box[0] < placed.box[0] && announcesParty(findings, one),
  );
  if (named && key && key.box[0] > named.box[0] && !findings.keys.some((one) => isBetween(one, named, key)))
    return roleOf(named);
  const left = key ? Math.min(key.box[0], placed.box[0]) : placed.box[0];
  let best: { role: Role; gap: number } | undefined;
  for (const party of findings.parties) {
    if (party.page !== placed.page) continue;
    const [l, t, r] = party.box;
    const [, , , b] = party.box;
    const beside =
      placed.box[1] > t - page.unit && placed.box[3] < b + page.unit && left > r && left - r < 0.25 * page.width;
    if (beside && !best) best = { role: party.role, gap: 1 };
    const toTheRight = Math.abs((placed.tokens.at(-1)?.segment.box[2] ?? placed.box[2]) - r) < 0.3 * page.unit;
    // Labels may stand in a column of their own before that of the name.
    const isAligned = key !== undefined && Math.abs(placed.box[0] - l) < 0.5 * page.unit;
    const inColumn = toTheRight || isAligned || (left > l - 2 * page.unit && left < Math.max(r, l + 10 * page.unit));
    if (!inColumn || placed.box[1] < t - page.unit) continue;
    const isWithin = placed.box[0] >= l - 1 && placed.box[2] <= r + 1 && placed.box[3] <= b + 1;
    const apart = linesBetween(party, { box: placed.box, page: placed.page }, page.unit);
    const gap = isWithin ? -1 : Math.max(0, apart);
    if (gap < 9 && (!best || gap < best.gap)) best = { role: party.role, gap };
  }
  // Far down under an address is the foot of the page.
  if (best && (placed.box[1] < page.height * 0.6 || best.gap < 2))
    return best.role === 'delivery' ? undefined : best.role;
  return undefined;
}
