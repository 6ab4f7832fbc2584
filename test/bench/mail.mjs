import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const MAILS = 80;
const ROUNDS = 3;
const SENDERS = 8;
const ATTACHMENT_BYTES = 200_000;

/** Raw mails, each with bytes of its own that pass for a PDF. */
function makeMails(to) {
  return Array.from({ length: MAILS }, (_, i) => {
    const content = Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(ATTACHMENT_BYTES)]).toString('base64');
    const lines = content.match(/.{1,76}/g).join('\r\n');
    return Buffer.from(
      [
        ...['From: bench@example.org', `To: ${to}`, `Subject: bench ${i}`, 'MIME-Version: 1.0'],
        ...['Auto-Submitted: auto-generated', 'Content-Type: application/pdf; name="a.pdf"'],
        ...['Content-Disposition: attachment; filename="a.pdf"', 'Content-Transfer-Encoding: base64', '', lines, ''],
      ].join('\r\n'),
    );
  });
}

/** Mails a second that a server takes: the median of some rounds, after one in which it becomes warm. */
async function mailsPerSecond({ host, port }, to) {
  const { createTransport } = require('nodemailer');
  const transport = createTransport({
    ...{ host, port, pool: true, maxConnections: SENDERS, maxMessages: Infinity, secure: false },
    ignoreTLS: true,
  });
  const sendAll = (mails) =>
    Promise.all(mails.map((raw) => transport.sendMail({ raw, envelope: { from: 'bench@example.org', to } })));
  try {
    await sendAll(makeMails(to));
    const rates = [];
    for (let round = 0; round < ROUNDS; round++) {
      const mails = makeMails(to);
      const started = performance.now();
      await sendAll(mails);
      rates.push(MAILS / ((performance.now() - started) / 1000));
    }
    return rates.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  } finally {
    transport.close();
  }
}

/** A bare smtp-server that streams each message into the object store before it says 250. */
async function startBareServer(s3, bucket) {
  const { SMTPServer } = require('smtp-server');
  const names = [];
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], disableReverseLookup: true, logger: false },
    onData(stream, _session, done) {
      const name = `bench/mail-${randomBytes(8).toString('hex')}`;
      names.push(name);
      s3.putObject(bucket, name, stream).then(() => done(), done);
    },
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.server.address().port,
    stop: async () => {
      await new Promise((resolve) => server.close(resolve));
      await s3.removeObjects(bucket, names);
    },
  };
}

/** Mails of 200 kB a second: a bare server on the same object store, and then Intake, which reads what it got when that is done. */
export async function measureMail({ smtp, inbox, s3, bucket }) {
  const server = await startBareServer(s3, bucket);
  let bare;
  try {
    bare = await mailsPerSecond({ host: '127.0.0.1', port: server.port }, 'a@localhost');
  } finally {
    await server.stop();
  }
  return { ours: await mailsPerSecond(smtp, inbox), bare, unit: 'mails/s' };
}
