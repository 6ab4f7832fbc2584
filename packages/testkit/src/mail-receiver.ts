import { createServer, type Socket } from 'node:net';

/** A mail as it was received. */
export interface ReceivedMail {
  /** Of MAIL FROM; empty: the null sender. */
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly raw: string;
}

/** A mail server that takes what it is sent, unless it is told to refuse. */
export interface MailReceiver {
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** The answer to the next so many messages instead of 250. */
  refuse(answer: string, times: number): void;
  /** The answers to the next times that a message is for this address; then it is taken. */
  refuseRecipient(address: string, answers: readonly string[]): void;
  stop(): Promise<void>;
}

/** Starts a mail server, as a relay is one. */
export async function startMailReceiver(): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  const refusals: string[] = [];
  const refusedRecipients = new Map<string, string[]>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    serve(socket, {
      answerTo: (address) => refusedRecipients.get(address)?.shift() ?? '250 2.1.5 ok',
      take: (mail) => {
        const refusal = refusals.shift();
        if (!refusal) mails.push(mail);
        return refusal ?? '250 2.0.0 taken';
      },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: (answer, times) => void refusals.push(...Array<string>(times).fill(answer)),
    refuseRecipient: (address, answers) => void refusedRecipients.set(address, [...answers]),
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

interface Answers {
  /** To RCPT TO. */
  readonly answerTo: (address: string) => string;
  readonly take: (mail: ReceivedMail) => string;
}

function serve(socket: Socket, { answerTo, take }: Answers): void {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let buffer = '';
  let sender = '';
  let recipients: string[] = [];
  let inData = false;
  const obey = (line: string): void => {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
    if (/^(EHLO|HELO)/i.test(line)) say('250 receiver');
    else if (/^MAIL FROM/i.test(line)) {
      sender = address;
      recipients = [];
      say('250 2.1.0 ok');
    } else if (/^RCPT TO/i.test(line)) {
      const answer = answerTo(address);
      if (answer.startsWith('2')) recipients.push(address);
      say(answer);
    } else if (/^DATA/i.test(line)) {
      inData = true;
      say('354 go on');
    } else if (/^QUIT/i.test(line)) socket.end('221 2.0.0 bye\r\n');
    else say('250 2.0.0 ok');
  };
  socket.setEncoding('latin1').on('data', (text) => {
    buffer += text;
    for (;;) {
      const end = buffer.indexOf(inData ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const taken = buffer.slice(0, end);
      buffer = buffer.slice(end + (inData ? 5 : 2));
      if (!inData) obey(taken);
      else {
        inData = false;
        say(take({ sender, recipients, raw: taken.replace(/^\.\./gm, '.') }));
      }
    }
  });
  say('220 receiver');
}
