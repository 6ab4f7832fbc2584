import { connectBackbone, startConsumer } from '@intake/bus';
import { documentStorage, mailIngest, queue } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { connectRpc, Refusal, serveRpc, systemCaller } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { acceptsMimeType, ChildPool } from '@intake/untrusted';
import { readSettings } from './config';
import { createConsumers } from './consumers';
import { createEmailStore } from './email/email.store';
import { createReadEmail } from './email/read-email';
import { createReceiveEmail } from './email/receive-email';
import { type ParseJobs, parseWorker } from './mail/parse-jobs';
import { createRpc } from './rpc';
import { MAX_MESSAGE_BYTES, startSmtpListener } from './smtp/smtp-listener';
import { createStorage } from './storage';
import { startSweeps } from './sweeps';

/** Starts the service. */
export const start = (env: Environment) =>
  runService('mail-ingest', env, async (runtime) => {
    const { rpc, smtp, readers } = readSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const emails = createEmailStore(backbone.database);
    await createIndexes(backbone.database);

    const queues = connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc.secret);
    const storage = createStorage(
      connectRpc(runtime, documentStorage.DocumentStorageServiceService, rpc.addressOf('document-storage'), rpc.secret),
    );
    const parser = new ChildPool<ParseJobs>({ worker: parseWorker, size: readers, timeoutMs: 60_000 });
    runtime.onStop('message readers', () => parser.close());

    const isAway = (error: unknown) => error instanceof Refusal && error.reason === 'SERVICE_UNAVAILABLE';
    const receive = createReceiveEmail({ backbone, emails, keepFiles: storage.keepFiles });
    const readEmail = createReadEmail({
      ...storage,
      parse: (rawPath, folder) => parser.run('parseMessage', { rawPath, folder }),
      findAccepted: async ({ queueId, organizationId }) => {
        const caller = systemCaller('mail-ingest', organizationId);
        const [found] = (await queues.getQueues({ ids: [queueId] }, caller)).queues;
        return found?.status === 'active' ? (type) => acceptsMimeType(found.acceptedMimeTypes, type) : null;
      },
    });

    await serveRpc(runtime, {
      definition: mailIngest.MailIngestServiceService,
      proto: 'intake/mail_ingest/v1/mail_ingest.proto',
      handlers: createRpc(emails),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, {
      ...backbone,
      handlers: createConsumers(emails, readEmail, storage.releaseFiles, runtime.log),
      isAway,
      // Receiving comes first: what was received may wait.
      concurrency: 4,
    });
    startSweeps(runtime, backbone, emails);
    const port = await startSmtpListener(runtime, {
      ...smtp,
      findInbox: async (email) => {
        try {
          const { inbox } = await queues.resolveInbox({ email }, systemCaller('mail-ingest'));
          return inbox ? { inboxId: inbox.id, organizationId: inbox.organizationId, queueId: inbox.queueId } : null;
        } catch (error) {
          if (error instanceof Refusal && error.httpStatus === 404) return null;
          throw error;
        }
      },
      store: (chunks) => storage.putRaw(chunks, MAX_MESSAGE_BYTES),
      receive,
    });
    runtime.log.info({ port, domain: smtp.domain }, 'SMTP listens');
  });

if (require.main === module) void runAsProcess(start);
