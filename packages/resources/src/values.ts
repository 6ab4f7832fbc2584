/** Dates of the API: UTC, six fraction digits. */
export function formatTime(date: Date): string;
export function formatTime(date: Date | undefined): string | null;
export function formatTime(date: Date | undefined): string | null {
  return date ? `${date.toISOString().slice(0, -1)}000Z` : null;
}

/** A date without its time of day. */
export function formatDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Durations of the API: `HH:MM:SS`. */
export function formatDuration(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${two(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
}

/** The URL of an object that may be missing. */
export function urlOrNull(makeUrl: (id: number) => string, id: number | undefined): string | null {
  return id === undefined || id === 0 ? null : makeUrl(id);
}

/** Longer durations of the API: `[DD] HH:MM:SS`. */
export function formatLongDuration(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  return `${days > 0 ? `${days} ` : ''}${formatDuration(seconds % 86_400)}`;
}
