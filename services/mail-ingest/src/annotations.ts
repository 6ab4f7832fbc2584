import { annotation, type auth } from '@intake/contracts';
import { readNodes } from '@intake/resources';
import { type Client, systemCaller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import type { Email } from './email/email';
import type { Placeholders } from './outgoing/render';

type AnnotationClient = Client<typeof annotation.AnnotationServiceService>;
type AuthClient = Client<typeof auth.AuthServiceService>;

const CONTENT_VALUE = 'annotation.content.value.';
const PAGE = 100;

/** Annotations, as the annotation service has them. `urls` null: nobody knows where people see the service. */
export function createAnnotations(client: AnnotationClient, accounts: AuthClient, urls: ApiUrls | null) {
  const callerOf = (organizationId: number) => systemCaller('mail-ingest', organizationId);

  /** Values of these fields in all annotations, joined. */
  const findContentValues = async (organizationId: number, annotationIds: number[], names: readonly string[]) => {
    if (names.length === 0) return {};
    const schemaIds = names.map((name) => name.slice(CONTENT_VALUE.length));
    const { contents } = await client.getContents({ annotationIds, schemaIds }, callerOf(organizationId));
    const nodes = contents.flatMap(({ treeJson }) => readNodes(treeJson));
    return Object.fromEntries(
      names.map((name, i) => {
        const values = nodes
          .filter(({ schema_id: id }) => id === schemaIds[i])
          .map((node) => (node as { content?: { value?: string | null } }).content?.value ?? '');
        return [name, values.filter(Boolean).join(', ')];
      }),
    );
  };

  return {
    /** Status of each annotation that was made of an e-mail. */
    async findStatuses({ id, organizationId, documentIds }: Email): Promise<string[]> {
      const statuses: string[] = [];
      if (documentIds.length === 0) return statuses;
      for (let page = 1; ; page += 1) {
        const request = annotation.ListAnnotationsRequest.fromPartial({
          ...{ documentIds: [...documentIds], ordering: ['id'], page, pageSize: PAGE },
        });
        const { annotations } = await client.listAnnotations(request, callerOf(organizationId));
        statuses.push(...annotations.filter(({ emailId }) => emailId === id).map(({ status }) => status));
        if (annotations.length < PAGE) return statuses;
      }
    },

    /** From now on these annotations are known to have e-mails that were sent about them. */
    async noteSentEmails(organizationId: number, annotationIds: readonly number[]): Promise<void> {
      if (annotationIds.length === 0) return;
      await client.noteSentEmails({ annotationIds: [...annotationIds] }, callerOf(organizationId));
    },

    /** Why the import of an annotation failed, in words for people. */
    async findFailure(organizationId: number, annotationId: number): Promise<string> {
      const request = annotation.GetAnnotationsRequest.fromPartial({ ids: [annotationId] });
      const [row] = (await client.getAnnotations(request, callerOf(organizationId))).annotations;
      return (row?.messages ?? []).map(({ content }) => content).join(' ');
    },

    /** What placeholders about annotations stand for, as far as they are asked for. API: email-import.md section 4. */
    async findValues(organizationId: number, ids: readonly number[], names: readonly string[]): Promise<Placeholders> {
      if (ids.length === 0) return {};
      const annotationIds = [...ids];
      const values = await findContentValues(
        organizationId,
        annotationIds,
        names.filter((name) => name.startsWith(CONTENT_VALUE)),
      );
      const links: Placeholders = urls ? { 'annotation.url': ids.map((id) => urls.annotation(id)).join(', ') } : {};
      if (!names.includes('annotation.assignee_email')) return { ...values, ...links };
      const request = annotation.GetAnnotationsRequest.fromPartial({ ids: annotationIds });
      const { annotations } = await client.getAnnotations(request, callerOf(organizationId));
      const assigneeIds = [...new Set(annotations.flatMap((one) => one.assigneeIds))];
      const { users } = await accounts.getUsers({ ids: assigneeIds }, callerOf(organizationId));
      return { ...values, ...links, 'annotation.assignee_email': users.map(({ email }) => email).join(', ') };
    },
  };
}
