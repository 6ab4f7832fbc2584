import { lastTurn } from './schedules';

const at = (text: string) => new Date(`2024-03-05T${text}Z`);

it.each([
  ['its time has come', '*/30 * * * *', '10:30:02', '00:00:00', '10:30:00'],
  ['exactly now', '*/30 * * * *', '10:30:00', '00:00:00', '10:30:00'],
  ['not yet', '*/30 * * * *', '10:29:59', '00:00:00', null],
  ['missed for a while', '*/30 * * * *', '10:39:00', '00:00:00', '10:30:00'],
  ['missed for too long', '*/30 * * * *', '10:41:00', '00:00:00', null],
  ['before the hook was there', '*/30 * * * *', '10:31:00', '10:30:30', null],
  ['no expression', 'x', '10:30:00', '00:00:00', null],
])('%s', (_, cron, now, since, turn) => expect(lastTurn(cron, at(now), at(since))).toEqual(turn && at(turn)));
