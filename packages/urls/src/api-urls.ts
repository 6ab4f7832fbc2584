/** Collections whose objects are found under `/v1/<collection>/<id>`. */
const COLLECTIONS = {
  annotation: 'annotations',
  automationBlocker: 'automation_blockers',
  connector: 'connectors',
  document: 'documents',
  documentRelation: 'document_relations',
  email: 'emails',
  emailTemplate: 'email_templates',
  emailThread: 'email_threads',
  group: 'groups',
  hook: 'hooks',
  inbox: 'inboxes',
  label: 'labels',
  lesson: 'lessons',
  note: 'notes',
  organization: 'organizations',
  organizationGroup: 'organization_groups',
  page: 'pages',
  queue: 'queues',
  relation: 'relations',
  schema: 'schemas',
  suggestedEdit: 'suggested_edits',
  task: 'tasks',
  upload: 'uploads',
  user: 'users',
  workspace: 'workspaces',
} as const;

export type ApiObject = keyof typeof COLLECTIONS;

/** The name of a collection as it stands in URLs. */
export type Collection = (typeof COLLECTIONS)[ApiObject];

/** Absolute URLs of the API's objects; none ends with a slash (API: README.md section 2). */
export type ApiUrls = Readonly<Record<ApiObject, (id: number) => string>> & {
  /** The version's root, `<base>/v1`. */
  readonly root: string;
  /** A path below `/v1`, given without leading slash: `annotations`, `queues/3/export`. */
  at(path: string): string;
  collection(name: Collection): string;
  /** The content tree of an annotation. */
  annotationContent(annotationId: number): string;
  /** A node of an annotation's content. */
  contentNode(annotationId: number, nodeId: number): string;
  /** The bytes of a document. */
  documentContent(documentId: number): string;
  /** The image of a page. */
  pageContent(pageId: number): string;
  /** The smaller image of a page. */
  pagePreview(pageId: number): string;
  /** The bytes of a document by their storage name, for ever. */
  original(s3Name: string): string;
};

/**
 * Makes URLs below a base.
 *
 * @param baseUrl scheme, host, port and `/api`, exactly as the client used it; a trailing slash is ignored
 */
export function apiUrls(baseUrl: string): ApiUrls {
  const root = `${baseUrl.replace(/\/+$/, '')}/v1`;
  const at = (path: string) => `${root}/${path}`;
  const objects = Object.fromEntries(
    Object.entries(COLLECTIONS).map(([object, collection]) => [object, (id: number) => at(`${collection}/${id}`)]),
  ) as Record<ApiObject, (id: number) => string>;
  return {
    ...objects,
    root,
    at,
    collection: at,
    annotationContent: (annotationId) => at(`annotations/${annotationId}/content`),
    contentNode: (annotationId, nodeId) => at(`annotations/${annotationId}/content/${nodeId}`),
    documentContent: (documentId) => at(`documents/${documentId}/content`),
    pageContent: (pageId) => at(`pages/${pageId}/content`),
    pagePreview: (pageId) => at(`pages/${pageId}/preview`),
    original: (s3Name) => at(`original/${encodeURIComponent(s3Name)}`),
  };
}
