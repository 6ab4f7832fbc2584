import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { type RunningService, runService } from '@intake/service';
import type { Envelope } from '../email/email';
import { startSmtpListener } from './smtp-listener';

/** žluť.cz in the letters of the DNS. */
const DOMAIN = 'xn--lu-yta1h.cz';
const INBOX = `invoices@${DOMAIN}`;

let service: RunningService;
let port: number;
const asked: string[] = [];
const received: { recipients: number; envelope: Envelope }[] = [];

beforeAll(async () => {
  service = await runService('test', { INTAKE_OPS_PORT: '0', INTAKE_LOG_LEVEL: 'fatal' }, async (runtime) => {
    port = await startSmtpListener(runtime, {
      ...{ host: '127.0.0.1', port: 0, domain: DOMAIN, tls: null, idleMs: 30_000 },
      ...{ maxConnections: 10, maxConnectionsPerAddress: 10 },
      findInbox: async (address) => {
        asked.push(address);
        return address === INBOX ? { inboxId: 1, organizationId: 2, queueId: 3, mayDrop: false } : null;
      },
      store: async (chunks) => {
        for await (const _ of chunks);
        return { key: 'key', sha256: 'sha256' };
      },
      receive: async (_raw, recipients, envelope) => {
        received.push({ recipients: recipients.length, envelope });
      },
      received: () => undefined,
    });
  });
});

afterAll(async () => {
  await service?.stop();
});

beforeEach(() => {
  asked.length = 0;
  received.length = 0;
});

/** What the server answers to each command, without the first lines of longer answers. */
async function talk(...commands: string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1');
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  const answer = async (): Promise<string> => {
    const line = String((await lines.next()).value);
    return line[3] === '-' ? answer() : line;
  };
  try {
    await answer();
    const answers: string[] = [];
    for (const command of ['EHLO test', ...commands]) {
      socket.write(`${command}\r\n`);
      answers.push(await answer());
    }
    return answers.slice(1);
  } finally {
    socket.destroy();
  }
}

describe('a mail domain with letters beyond ASCII', () => {
  it.each([
    ['in the letters of the DNS', `MAIL FROM:<a@example.org>`, `Invoices@${DOMAIN}`],
    ['as people write it', `MAIL FROM:<a@example.org> SMTPUTF8`, 'invoices@ŽLUŤ.cz'],
  ])('is known %s', async (_name, from, to) => {
    const answers = await talk(from, `RCPT TO:<${to}>`, 'DATA', 'Subject: x\r\n\r\nx\r\n.');
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['250', '250', '354', '250']);
    expect(new Set(asked)).toEqual(new Set([INBOX]));
    expect(received).toMatchObject([{ recipients: 1 }]);
  });

  it('is not the one whose letters only look like it', async () => {
    const [, answer] = await talk('MAIL FROM:<a@example.org>', 'RCPT TO:<invoices@zlut.cz>');
    expect(answer).toMatch(/^550 5\.7\.1 /);
    expect(asked).toEqual([]);
  });
});

it.each(['first..last@example.org', 'scanner.@example.org', '.x@example.org', 'scan@printer_2.example.org'])(
  'mail is taken from %s, which some telephones and devices write',
  async (sender) => {
    const answers = await talk(`MAIL FROM:<${sender}>`, `RCPT TO:<${INBOX}>`, 'DATA', 'Subject: x\r\n\r\nx\r\n.');
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['250', '250', '354', '250']);
    expect(received).toMatchObject([{ envelope: { sender } }]);
  },
);
