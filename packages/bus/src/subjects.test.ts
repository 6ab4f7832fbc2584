import { ANNOTATION_STATUSES, STREAMS, SUBJECTS, type Subject, streamOf } from './subjects';

const subjects = Object.keys(SUBJECTS) as Subject[];

it('every state of an annotation has its event', () => {
  for (const status of ANNOTATION_STATUSES) expect(subjects).toContain(`annotation.${status}`);
  expect(new Set(ANNOTATION_STATUSES).size).toBe(15);
});

it.each(subjects)('%s is a name NATS takes, in one of the streams', (subject) => {
  expect(subject).toMatch(/^[a-z]+\.[a-z_]+$/);
  expect(Object.keys(STREAMS)).toContain(streamOf(subject));
  expect(streamOf(subject) === 'jobs').toBe(subject.startsWith('jobs.'));
});

it('an empty payload of every subject survives the bus', () => {
  for (const subject of subjects) {
    const { fromJSON, toJSON } = SUBJECTS[subject];
    const empty = fromJSON({});
    expect(fromJSON(JSON.parse(JSON.stringify(toJSON(empty as never))))).toEqual(empty);
  }
});
