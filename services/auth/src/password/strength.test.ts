import { scorePassword } from './strength';

const jan = { username: 'jan.novak@example.com', email: 'jan.novak@example.com', firstName: 'Jan', lastName: 'Novák' };

it.each(['plavá kachna 7 mostů', 'vbT4-qpl9-Xz2m', 'xxq7!Lm0pVd#s9', 'tall otter bakes quietly'])(
  'takes %j',
  (password) => {
    const { score, messages } = scorePassword(password, jan);
    expect(messages).toEqual([]);
    expect(score).toBeGreaterThanOrEqual(2);
  },
);

it.each([
  ['vbT4-qpl9', /too short/],
  [`vbT4-qpl9-Xz2m${'-Kd82'.repeat(20)}`, /too long/],
  ['9-novak-Kd82hf-x', /similar/],
  ['JAN.NOVAK@EXAMPLE.COM', /similar/],
  ['837465019283', /entirely numeric/],
  ['password1234', /too easy|too common/],
  ['aaaaaaaaaaaa', /too easy/],
  ['qwertyuiopas', /too easy/],
])('refuses %j', (password, message) => {
  expect(scorePassword(password, jan).messages.join('\n')).toMatch(message);
});

it('scores from 0 to 4', () => {
  expect(scorePassword('').score).toBe(0);
  expect(scorePassword('password').score).toBe(0);
  expect(scorePassword('password').messages).toContain('This password is too common.');
  expect(scorePassword('vbT4-qpl9-Xz2m').score).toBe(4);
});

it('is done with long passwords in no time', () => {
  const started = performance.now();
  scorePassword('ab1!'.repeat(5000));
  expect(performance.now() - started).toBeLessThan(2000);
});
