/**
 * Runs a long step and says every ten seconds that it still goes on, how long already, and what it last reported.
 * @template T
 * @param {(line: string) => void} log
 * @param {string} label what is done and how long it may take
 * @param {(onLine: (line: string) => void) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function reportProgress(log, label, work) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const name = label.split(':')[0];
  let latest = '';
  log(`${label} ...`);
  const timer = setInterval(
    () => log(`${name}: ${seconds()} s so far${latest ? ` (${latest.slice(0, 80)})` : ''}`),
    10_000,
  );
  try {
    const result = await work((line) => {
      latest = line;
    });
    log(`${name}: took ${seconds()} s`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
