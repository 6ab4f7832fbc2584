import { events } from '@intake/contracts';
import { applyChange, confirmationCountedAt, type Fact } from './fact';

const day = (n: number) => new Date(Date.UTC(2025, 0, n));
const change = (version: number, status: string, rest: Partial<events.AnnotationChanged> = {}) =>
  events.AnnotationChanged.fromPartial({
    annotationId: 7,
    organizationId: 1,
    queueId: 3,
    version,
    status,
    at: day(version),
    arrivedAt: day(1),
    ...rest,
  });
const FIELDS = [{ schemaId: 'total', totalCount: 1, correctedCount: 1, timeSpentS: 2.5 }];
/** One life: arrives, is rejected, taken back, confirmed, exported, deleted. */
const LIFE = [
  change(1, 'importing'),
  change(2, 'rejected', { automaticallyRejected: true }),
  change(3, 'to_review', { modifierId: 5 }),
  change(4, 'confirmed', { modifierId: 5, confirmedAt: day(4) }),
  change(5, 'exported', {
    ...{ modifierId: 5, confirmedAt: day(4), exportedAt: day(5), timeOverallS: 9, timeActiveS: 4 },
    ...{ schemaId: 11, fields: FIELDS },
  }),
  change(6, 'deleted', { modifierId: 6, confirmedAt: day(4), exportedAt: day(5), timeOverallS: 9, timeActiveS: 4 }),
];
const play = (changes: readonly events.AnnotationChanged[]) =>
  changes.reduce<Fact | null>((fact, one) => applyChange(fact, one), null);

describe('applyChange', () => {
  it('keeps what happened and when', () => {
    expect(play(LIFE)).toEqual({
      annotationId: 7,
      organizationId: 1,
      queueId: 3,
      version: 6,
      status: 'deleted',
      modifierId: 6,
      automaticallyRejected: false,
      arrivedAt: day(1),
      confirmedAt: day(4),
      exportedAt: day(5),
      rejectedAt: day(2),
      rejectedVersion: 2,
      deletedAt: day(6),
      deletedVersion: 6,
      timeOverallS: 9,
      timeActiveS: 4,
      exportedVersion: 5,
      schemaId: 11,
      fields: FIELDS,
    });
  });

  it('comes to the same in every order, and when each event comes twice', () => {
    for (const order of permutations(LIFE)) expect(play(order)).toEqual(play(LIFE));
    expect(play([...LIFE, ...LIFE.toReversed()])).toEqual(play(LIFE));
  });

  it('answers the same fact when there is nothing new', () => {
    const fact = play(LIFE) as Fact;
    for (const one of LIFE) expect(applyChange(fact, one)).toBe(fact);
  });

  it('takes the last of several rejections', () => {
    const again = change(8, 'rejected');
    const between = change(7, 'to_review');
    expect(play([again, LIFE[1]!, between])).toMatchObject({
      rejectedAt: day(8),
      rejectedVersion: 8,
      status: 'rejected',
    });
  });
});

describe('confirmationCountedAt', () => {
  const fact = play(LIFE) as Fact;
  it('is the export, else the confirmation, else nothing', () => {
    expect(confirmationCountedAt(fact)).toEqual(day(5));
    expect(confirmationCountedAt({ ...fact, exportedAt: null })).toEqual(day(4));
    expect(confirmationCountedAt({ ...fact, confirmedAt: null })).toBeNull();
  });
});

function* permutations<T>(things: readonly T[]): Generator<T[]> {
  if (things.length === 0) yield [];
  for (const [i, thing] of things.entries())
    for (const rest of permutations(things.toSpliced(i, 1))) yield [thing, ...rest];
}
