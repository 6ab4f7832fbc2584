import {
  backing,
  buildMail,
  type PrivateServer,
  sendMail,
  startMinio,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';
import { describeLong, expectAtRest, expectReviewedOnce, Ledger, report } from './ledger';

/** F4: the object store goes away in the middle. A full disk: `services/mail-ingest/src/mail-ingest.it.test.ts`. */

jest.setTimeout(600_000);

describeLong('F4', () => {
  let minio: PrivateServer & { readonly s3: ReturnType<typeof backing>['s3'] };
  let system: TestSystem;

  beforeAll(async () => {
    minio = await startMinio();
    system = await startSystem({ backing: { ...backing(), s3: minio.s3 } });
  });
  afterAll(async () => {
    await system?.stop();
    await minio?.stop();
  });

  it('the object store killed: uploads answer 503 and mails 451, and all goes on by itself when it is back', async () => {
    const ledger = await Ledger.open(system);
    const inFlight = ledger.sendMany(30);
    await waitFor('some of them to be taken', () => ledger.entries.length >= 10, { timeoutMs: 60_000 });
    await minio.kill();
    const cutOff = await inFlight;
    for (const { status } of cutOff) expect([202, 503]).toContain(status);
    const refused = await ledger.sendMany(5);
    expect(refused.filter(({ status }) => status !== 503)).toEqual([]);
    const slowestMs = Math.max(...refused.map(({ ms }) => ms));
    expect(slowestMs).toBeLessThan(15_000);
    const raw = await buildMail({ to: system.inboxEmail, subject: 'S', text: 'T' });
    await expect(sendMail(system.smtp, { raw, to: system.inboxEmail })).rejects.toThrow(/45[12]/);

    await minio.restart();
    await waitFor('an upload to be taken again', async () => (await ledger.send()).status === 202, {
      timeoutMs: 60_000,
    });
    await ledger.sendMany(5);
    await ledger.expectAllArrived();
    await ledger.expectNothingElse(cutOff.filter(({ status }) => status !== 202).length);
    await expectAtRest(system);
    await expectReviewedOnce(system);
    report('F4', { documents: ledger.entries.length, refused: refused.length, slowestRefusalMs: slowestMs });
  });
});
