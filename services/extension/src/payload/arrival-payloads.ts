import { type documentStorage, extension, mailIngest } from '@intake/contracts';
import { documentToJson, formatTime, urlOrNull } from '@intake/resources';
import { type Client, systemCaller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import { listValues } from '../arrival/answers';
import type { JsonObject } from '../webhook/outcome';

export interface ArrivalPayloadSources {
  readonly storage: Pick<
    Client<typeof documentStorage.DocumentStorageServiceService>,
    'getDocuments' | 'getUpload' | 'measureDocument'
  >;
  readonly mail: Pick<Client<typeof mailIngest.MailIngestServiceService>, 'listEmails'>;
  readonly urls: ApiUrls;
}

/** What is told of an upload. */
export type UploadQuestion = Pick<extension.CallUploadHooksRequest, 'uploadId' | 'queueId' | 'metadata' | 'emailId'>;
type UploadFile = Pick<extension.UploadFile, 'documentId' | 'preventImporting' | 'values'>;

/** Makes payloads of what arrives: uploads and e-mails. API: hooks-and-connectors.md sections 3.3 and 3.4. */
export type ArrivalPayloads = ReturnType<typeof createArrivalPayloads>;

export function createArrivalPayloads({ storage, mail, urls }: ArrivalPayloadSources) {
  const findDocuments = async (organizationId: number, ids: readonly number[]) => {
    if (ids.length === 0) return [];
    const caller = systemCaller('extension', organizationId);
    const { documents } = await storage.getDocuments({ ids: [...ids] }, caller);
    return documents;
  };

  const ofUpload = async (
    organizationId: number,
    { uploadId, queueId, metadata, emailId }: UploadQuestion,
    files: readonly UploadFile[],
  ): Promise<JsonObject> => {
    const found = await findDocuments(
      organizationId,
      files.map(({ documentId }) => documentId),
    );
    const documents = new Map(found.map((document) => [document.id, document]));
    const present = files.filter(({ documentId }) => documents.has(documentId));
    return {
      files: present.map(({ documentId, preventImporting, values }) => ({
        document: urls.document(documentId),
        prevent_importing: preventImporting,
        values: listValues(values),
        queue: urls.queue(queueId),
        annotation: urlOrNull(urls.annotation, documents.get(documentId)?.annotationIds[0]),
      })),
      documents: present.map(({ documentId }) =>
        documentToJson(documents.get(documentId) as documentStorage.Document, urls),
      ),
      upload: urls.upload(uploadId),
      metadata: metadata ?? {},
      email: urlOrNull(urls.email, emailId),
    };
  };

  const ofEmail = ({
    emailId,
    queueId,
    files,
    headers,
    bodyTextPlain,
    bodyTextHtml,
  }: extension.CallEmailHooksRequest): JsonObject => ({
    email: urls.email(emailId),
    queue: urls.queue(queueId),
    files: files.map(({ documentId, fileName, mimeType, nPages, height, width }) => ({
      id: String(documentId),
      filename: fileName,
      mime_type: mimeType,
      n_pages: nPages,
      height_px: height ?? null,
      width_px: width ?? null,
      document: urls.document(documentId),
    })),
    headers: Object.fromEntries(HEADERS.map((name) => [name, headers[name] ?? ''])),
    body: { body_text_plain: bodyTextPlain, body_text_html: bodyTextHtml },
  });

  /** The files of an e-mail, PDFs measured. */
  const measure = (organizationId: number, files: readonly extension.EmailFile[]): Promise<extension.EmailFile[]> =>
    Promise.all(
      files.map(async (file) => {
        if (file.mimeType !== 'application/pdf') return file;
        const caller = systemCaller('extension', organizationId);
        const { pageCount, width, height } = await storage.measureDocument({ id: file.documentId }, caller);
        return { ...file, nPages: pageCount, width, height };
      }),
    );

  return {
    findDocuments,
    measure,
    ofUpload,
    ofEmail,

    /** The same of an upload that was made before; undefined: there is none. */
    async ofKnownUpload(organizationId: number, uploadId: number): Promise<JsonObject> {
      const upload = await storage.getUpload({ id: uploadId }, systemCaller('extension', organizationId));
      const { documentIds, queueId, emailId, values, metadata } = upload;
      const files = documentIds.map((documentId) => ({ documentId, preventImporting: false, values }));
      return ofUpload(organizationId, { uploadId, queueId, emailId, metadata }, files);
    },

    /** The same of an e-mail that was read before; undefined: there is none. */
    async ofKnownEmail(organizationId: number, emailId: number): Promise<JsonObject | undefined> {
      const caller = systemCaller('extension', organizationId);
      const request = mailIngest.ListEmailsRequest.fromPartial({ ids: [emailId], page: 1, pageSize: 1 });
      const [email] = (await mail.listEmails(request, caller)).emails;
      if (!email) return undefined;
      const { attachments, uploadId } = email;
      const upload = uploadId === undefined ? undefined : await storage.getUpload({ id: uploadId }, caller);
      const headers = upload ? headersIn(upload.values) : headersOf(email);
      const files = attachments.filter(({ status }) => status === 'processed' || status === 'filtered_by_hook_custom');
      return ofEmail(
        extension.CallEmailHooksRequest.fromPartial({
          ...{ emailId, queueId: email.queueId, headers },
          ...{ bodyTextPlain: email.bodyTextPlain, bodyTextHtml: email.bodyTextHtml },
          files: await measure(
            organizationId,
            files.map(({ documentId, fileName, mimeType }) => ({ documentId, fileName, mimeType, nPages: 1 })),
          ),
        }),
      );
    },
  };
}

const HEADERS = ['from', 'to', 'reply-to', 'subject', 'message-id', 'date', 'authentication-results'];

/** The headers as they came: the documents of an e-mail have them as values. */
function headersIn(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(HEADERS.map((name) => [name, values[`email_header:${name}`] ?? '']));
}

/** What is known of the headers of an e-mail without documents. */
function headersOf({ from, to, subject, messageId, createdAt }: mailIngest.Email): Record<string, string> {
  return {
    from: from ? addressOf(from) : '',
    to: to.map(addressOf).join(', '),
    subject,
    'message-id': messageId,
    date: formatTime(createdAt) ?? '',
  };
}

function addressOf({ name, email }: mailIngest.Address): string {
  return name === '' ? email : `${name} <${email}>`;
}
