import { ConfigError, count, flag, list, readConfig, text } from './config';

const SETTINGS = {
  url: text('URL', 'where the thing is'),
  port: count('PORT', 'port of the thing', 80),
  secure: flag('SECURE', 'whether the thing is safe', false),
  tags: list('TAGS', 'names of the thing', []),
};

describe('readConfig', () => {
  it('reads every kind of setting', () => {
    const env = { URL: 'http://x', PORT: '8080', SECURE: 'on', TAGS: 'a, b,,c' };
    expect(readConfig(env, SETTINGS)).toEqual({ url: 'http://x', port: 8080, secure: true, tags: ['a', 'b', 'c'] });
  });

  it('takes the fallback for what is missing or empty', () => {
    const env = { URL: 'http://x', PORT: '', SECURE: undefined };
    expect(readConfig(env, SETTINGS)).toEqual({ url: 'http://x', port: 80, secure: false, tags: [] });
  });

  it('names all problems at once, with what each setting is for', () => {
    const read = () => readConfig({ PORT: '-1', SECURE: 'perhaps' }, SETTINGS);
    expect(read).toThrow(ConfigError);
    try {
      read();
    } catch (error) {
      expect((error as Error).message.split('\n')).toEqual([
        'URL is missing: where the thing is',
        'PORT must be a whole number, 0 or more: port of the thing',
        'SECURE must be on or off: whether the thing is safe',
      ]);
    }
  });

  it.each([
    ['true', true],
    ['YES', true],
    ['1', true],
    ['off', false],
    ['No', false],
    ['0', false],
  ])('reads the flag %s as %s', (given, expected) => {
    expect(readConfig({ SECURE: given, URL: 'x' }, SETTINGS).secure).toBe(expected);
  });
});
