/** The environment a service is started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: its variable, how its text is read, and why it exists. */
export interface Setting<T> {
  readonly variable: string;
  readonly about: string;
  readonly fallback?: T;
  /** Throws an Error whose message says what is expected. */
  readonly parse: (text: string) => T;
}

type Values<S extends Record<string, Setting<unknown>>> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/** A service was started with settings it cannot run with; the message lists all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const setting =
  <T>(parse: (text: string) => T) =>
  (variable: string, about: string, fallback?: T): Setting<T> => ({ variable, about, fallback, parse });

/** Any text. */
export const text = setting((value) => value);

/** A whole number, 0 or more. */
export const count = setting((value) => {
  if (!/^\d+$/.test(value)) throw new Error('must be a whole number, 0 or more');
  return Number(value);
});

/** true/false, on/off, yes/no, 1/0. */
export const flag = setting((value) => {
  if (/^(true|on|yes|1)$/i.test(value)) return true;
  if (/^(false|off|no|0)$/i.test(value)) return false;
  throw new Error('must be on or off');
});

/** A comma list; empty entries are dropped. */
export const list = setting((value): readonly string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

/** Reads settings from the environment; a setting without fallback must be given. Throws ConfigError naming every problem. */
export function readConfig<S extends Record<string, Setting<unknown>>>(env: Environment, settings: S): Values<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, { variable, about, fallback, parse }] of Object.entries(settings)) {
    const given = env[variable];
    if (given === undefined || given === '') {
      if (fallback === undefined) problems.push(`${variable} is missing: ${about}`);
      values[key] = fallback;
      continue;
    }
    try {
      values[key] = parse(given);
    } catch (error) {
      problems.push(`${variable} ${(error as Error).message}: ${about}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return values as Values<S>;
}
