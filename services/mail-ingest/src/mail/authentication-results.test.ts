import { readAuthenticationResults } from './authentication-results';

const read = (...values: string[]) => readAuthenticationResults(values, 'mx.example.org');

it('takes the verdicts of the front server', () => {
  const value =
    'mx.example.org 1; spf=fail (no; reason) smtp.mailfrom=a@b.c; dkim=neutral header.d=x.y; dkim=pass header.d=b.c; dmarc=pass (p=none) header.from=b.c';
  expect(read(value)).toEqual({ spf: 'fail', dkim: 'pass', dmarc: 'pass', domain: 'b.c', source: 'mx.example.org' });
});

it('only its newest header counts, and no other server is believed', () => {
  const forged = 'mx.example.org; dmarc=pass';
  expect(read('MX.example.org; dmarc=fail', forged)).toMatchObject({ dmarc: 'fail', spf: 'none' });
  expect(read('mx.example.org.evil; dmarc=pass')).toBeNull();
  expect(read()).toBeNull();
});
