const DAY_MS = 86_400_000;
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const number = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** `14:05` today, `3 Mar` this year's other days, else with the year. */
export function formatWhen(iso: string | null, now = new Date()): string {
  if (!iso) return '';
  const at = new Date(iso);
  if (now.getTime() - at.getTime() < DAY_MS && now.getDate() === at.getDate()) return time.format(at);
  return at.getFullYear() === now.getFullYear() ? day.format(at) : `${day.format(at)} ${at.getFullYear()}`;
}

/** Date and time, to the second. */
export function formatTime(iso: string): string {
  return full.format(new Date(iso));
}

export function formatNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : number.format(value);
}

/** A part of a whole in percent: `4.2 %`, `–` of nothing. */
export function formatShare(part: number, whole: number): string {
  return whole === 0 ? '–' : `${number.format((part / whole) * 100)} %`;
}

/** Seconds as `45 s`, `12 min`, `3.5 h`, `2 days`. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 90) return `${number.format(seconds)} s`;
  if (seconds < 5400) return `${number.format(seconds / 60)} min`;
  if (seconds < 172_800) return `${number.format(seconds / 3600)} h`;
  return `${number.format(seconds / 86_400)} days`;
}
