import { readEmbedded } from './embedded';

const storage = () => {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
};
const at = (pathname: string, hash = '') => ({ pathname, hash });

describe('a document in a page of others', () => {
  it('is told by its place, with the token and where each ending goes', () => {
    const hash =
      '#authToken=abc&return_url=https%3A%2F%2Ferp.example%2Fdone%3Fa%3D1&postpone_url=https%3A%2F%2Ferp.example%2Flater';
    expect(readEmbedded(at('/embedded/document/7', hash), storage())).toEqual({
      annotationId: 7,
      token: 'abc',
      ends: {
        confirm: 'https://erp.example/done?a=1',
        reject: 'https://erp.example/done?a=1',
        delete: 'https://erp.example/done?a=1',
        postpone: 'https://erp.example/later',
        cancel: 'https://erp.example/done?a=1',
      },
    });
  });

  it('keeps its token when the page is loaded again without it', () => {
    const kept = storage();
    readEmbedded(at('/embedded/document/7', '#authToken=abc'), kept);
    expect(readEmbedded(at('/embedded/document/7'), kept)?.token).toBe('abc');
    expect(readEmbedded(at('/embedded/document/8'), kept)?.token).toBe('');
  });

  it('goes nowhere that would run a script', () => {
    const hash = '#authToken=abc&return_url=javascript%3Aalert(1)&cancel_url=nowhere';
    expect(readEmbedded(at('/embedded/document/7', hash), storage())?.ends).toEqual({});
  });

  it('is nothing of other places', () => {
    expect(readEmbedded(at('/annotations/7', '#authToken=abc'), storage())).toBeNull();
  });
});
