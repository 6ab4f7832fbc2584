import { normalize, type Segment } from '../../layout/page-layout';

/** The host of an e-mail address or a website. */
const HOST = /(?:@|www\.|https?:\/\/(?:www\.)?)((?:[\p{L}\d-]+\.)+\p{L}{2,})/giu;

/** Hosts that many people have mail at. */
const SHARED =
  /^(?:gmail|googlemail|google|gmx|web|yahoo|ymail|hotmail|outlook|live|msn|icloud|me|aol|proton(?:mail)?|mail|email|t-online|freenet|orange|wanadoo|free|laposte|sfr|libero|virgilio|tiscali|alice|seznam|centrum|azet|zoznam|wp|onet|interia|o2|ziggo|kpnmail|telenet|skynet|bluewin|telia|facebook|instagram|linkedin|twitter|youtube|paypal|amazonaws)$/;

/** Endings of two parts ("co.uk"): the name stands before both. */
const SECOND_LEVEL = /^(?:com?|org|net|gov|ac|edu|gob|or|ltd|plc)$/;

/** Shorter names stand in other words too. */
const LEAST = 5;

/** Of the letters of a host: "meyerbau.de" is that of "Meyer Bauunternehmung". */
const LEAST_SHARE = 0.7;

/** Tells the names that an e-mail address or a website in these texts has, too. */
export function ownNames(texts: readonly Segment[]): (segment: Segment) => boolean {
  const names = texts
    .flatMap(({ text }) => [...text.matchAll(HOST)].map(([, host]) => nameOfHost(host!)))
    .filter((name) => name.length >= LEAST);
  return ({ text }) => {
    if (/@|www\./i.test(text)) return false;
    const own = normalize(text).join('');
    return names.some((name) => sharedStart(own, name) >= Math.max(LEAST, LEAST_SHARE * name.length));
  };
}

/** "shop.green-field.co.uk" is that of "greenfield". */
function nameOfHost(host: string): string {
  const parts = host.toLowerCase().split('.').slice(0, -1);
  const name = (parts.length > 1 && SECOND_LEVEL.test(parts.at(-1)!) ? parts.at(-2) : parts.at(-1)) ?? '';
  return SHARED.test(name) ? '' : normalize(name).join('');
}

function sharedStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
