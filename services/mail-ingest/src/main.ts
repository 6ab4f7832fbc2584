import { connectBackbone, startConsumer } from '@intake/bus';
import { annotation, auth, documentStorage, extension, mailIngest, queue } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { connectRpc, isNeighbourAway, serveRpc, systemCaller } from '@intake/rpc';
import { createReceivingFirst, type Environment, runAsProcess, runService } from '@intake/service';
import { ChildPool } from '@intake/untrusted';
import { apiUrls } from '@intake/urls';
import { Counter } from 'prom-client';
import { createAnnotations } from './annotations';
import { readSettings } from './config';
import { createConsumers } from './consumers';
import { createConcludeEmail } from './email/conclude-email';
import { createEmailStore } from './email/email.store';
import { createJudgeMembers } from './email/judge-members';
import { createReadEmail } from './email/read-email';
import { createImportEmail, createReceiveEmail } from './email/receive-email';
import { createInboxes } from './inboxes';
import { type ParseJobs, parseWorker } from './mail/parse-jobs';
import { createSenderChecks } from './mail/sender-checks';
import { createAutomaticMail } from './outgoing/automatic-mail';
import { createSendingLimits } from './outgoing/daily-limits';
import { createDeliveryStore } from './outgoing/delivery.store';
import { startRelay } from './outgoing/relay';
import { createOutgoing, createSendEmail } from './outgoing/send-email';
import { createSubscriptionLinks } from './outgoing/subscription';
import { createRpc } from './rpc';
import { createNetworkCheck } from './smtp/front-server';
import { MAX_MESSAGE_BYTES, startSmtpListener } from './smtp/smtp-listener';
import { createStorage } from './storage';
import { startSweeps } from './sweeps';
import { createThreadStore } from './thread/thread.store';

/** Longest check of a sender, in milliseconds: name servers may be slow. */
const CHECK_MS = 20_000;

/** Starts the service. */
export const start = (env: Environment) =>
  runService('mail-ingest', env, async (runtime) => {
    const { rpc, smtp, readers, relayUrl, publicUrl, sender, sendingLimits: limits } = readSettings(env);
    const mailDomain = smtp.domain;
    const backbone = await connectBackbone(runtime, env);
    const emails = createEmailStore(backbone.database);
    const threads = createThreadStore(backbone.database);
    const deliveries = createDeliveryStore(backbone.database);
    const sendingLimits = createSendingLimits({ emails, deliveries, limits });
    await createIndexes(backbone.database);

    const inboxes = createInboxes(connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc));
    const storage = createStorage(
      connectRpc(runtime, documentStorage.DocumentStorageServiceService, rpc.addressOf('document-storage'), rpc),
    );
    const extensions = connectRpc(runtime, extension.ExtensionServiceService, rpc.addressOf('extension'), rpc);
    const parser = new ChildPool<ParseJobs>({ worker: parseWorker, size: readers, timeoutMs: 60_000 });
    runtime.onStop('message readers', () => parser.close());
    const checker = new ChildPool<ParseJobs>({ worker: parseWorker, size: readers, timeoutMs: CHECK_MS });
    runtime.onStop('sender checks', () => checker.close());

    const receivingFirst = createReceivingFirst();
    const receive = createReceiveEmail({ backbone, emails, keepFiles: storage.keepFiles });
    const importEmail = createImportEmail({ backbone, emails, ...storage });
    const isFront = createNetworkCheck(sender.frontNetworks);
    const readEmail = createReadEmail({
      ...storage,
      mailDomain,
      parse: (rawPath, folder) => parser.run('parseMessage', { rawPath, folder }),
      checkSender: sender.isChecked
        ? createSenderChecks({ pool: checker, mta: mailDomain, dnsServers: sender.dnsServers })
        : null,
      frontServerOf: ({ envelope }) =>
        sender.frontServer && isFront(envelope?.remoteAddress ?? '') ? sender.frontServer : null,
      findRules: inboxes.findRules,
      callHooks: async ({ id: emailId, queueId, organizationId }, shown) => {
        const caller = systemCaller('mail-ingest', organizationId);
        const answer = await extensions.callEmailHooks({ emailId, queueId, ...shown }, caller);
        return answer.pending ? null : answer;
      },
    });
    const urls = publicUrl ? apiUrls(`${publicUrl}/api`) : null;
    const links = createSubscriptionLinks(rpc.secret, urls?.root ?? null);
    const accounts = connectRpc(runtime, auth.AuthServiceService, rpc.addressOf('auth'), rpc);
    const annotations = createAnnotations(
      connectRpc(runtime, annotation.AnnotationServiceService, rpc.addressOf('annotation'), rpc),
      accounts,
      urls,
    );
    const outgoing = createOutgoing({
      ...{ backbone, emails, threads, deliveries, mailDomain, links },
      isEnabled: relayUrl !== null,
      storeRaw: storage.storeRaw,
      noteSentEmails: annotations.noteSentEmails,
    });
    const writeAutomatic = createAutomaticMail({
      ...{ findAnnotationValues: annotations.findValues, appUrl: publicUrl },
      ...{ deliveries, outgoing, findRules: inboxes.findRules, findTemplate: inboxes.findTemplate },
      findOrganizationName: async (id) => {
        const { organizations } = await accounts.listOrganizations({ ids: [id] }, systemCaller('mail-ingest', id));
        return organizations[0]?.name ?? '';
      },
    });
    const conclusion = createConcludeEmail({
      ...{ emails, deliveries, outgoing, writeAutomatic },
      ...{ findRules: inboxes.findRules, findStatuses: annotations.findStatuses, findFailure: annotations.findFailure },
      ...storage,
    });
    const dropped = new Counter({
      name: 'intake_mails_dropped_total',
      help: 'Messages that the rules of an inbox do not want',
      registers: [runtime.metrics],
    });

    await serveRpc(runtime, {
      stuck: [backbone.stuck],
      definition: mailIngest.MailIngestServiceService,
      proto: 'intake/mail_ingest/v1/mail_ingest.proto',
      handlers: createRpc({
        ...{ emails, threads, deliveries, sendingLimits, links, importEmail },
        sendEmail: createSendEmail({
          ...{ backbone, emails, outgoing, sendingLimits },
          findInbox: inboxes.findOfQueue,
          loadDocuments: storage.loadDocuments,
        }),
        judgeMembers: createJudgeMembers({
          ...{ emails, loadRaw: storage.loadRaw, findRules: inboxes.findRules },
          look: (file) => parser.run('lookAtFile', file),
        }),
        findInbox: inboxes.findByAddress,
        readStart: storage.readStart,
      }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, {
      ...backbone,
      handlers: createConsumers({
        ...{ emails, threads, readEmail, conclusion, emit: backbone.emit, log: runtime.log },
        turnToGoOn: receivingFirst.turnToGoOn,
        releaseFiles: storage.releaseFiles,
        onDropped: ({ id, inboxId }, reason) => {
          dropped.inc();
          runtime.log.info({ email: id, inbox: inboxId, reason }, 'a message was dropped');
        },
      }),
      isAway: isNeighbourAway,
      // Receiving comes first: what was received may wait.
      concurrency: 4,
    });
    startSweeps(runtime, backbone, emails);
    const relay = { backbone, emails, deliveries, sendingLimits, loadRaw: storage.loadRaw };
    if (relayUrl) startRelay(runtime, { url: relayUrl, ...relay });
    else runtime.log.info('no e-mails are sent: INTAKE_SMTP_RELAY_URL is not set');
    const port = await startSmtpListener(runtime, {
      ...smtp,
      findInbox: inboxes.findByAddress,
      store: (chunks) => storage.putRaw(chunks, MAX_MESSAGE_BYTES),
      receive,
      received: receivingFirst.received,
    });
    runtime.log.info({ port, domain: smtp.domain }, 'SMTP listens');
  });

if (require.main === module) void runAsProcess(start);
