import type { annotation, documentStorage } from '@intake/contracts';
import type { ExportNode } from '@intake/schema';
import type { ApiUrls } from '@intake/urls';

/** One exported annotation, with the keys and their order of API: export.md section 6. */
export interface ExportRecord {
  readonly url: string;
  readonly status: string;
  readonly arrived_at: string | null;
  readonly exported_at: string | null;
  readonly document: { readonly url: string; readonly file_name: string; readonly file: string };
  readonly modifier: { readonly url: string; readonly username: string } | null;
  readonly schema: { readonly url: string };
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly content: readonly ExportNode[];
  readonly automated: boolean;
  readonly modified_at: string | null;
  readonly assigned_at: string | null;
}

/** What a record is made of beside the annotation. */
export interface RecordSources {
  readonly urls: ApiUrls;
  /** The annotation's document; undefined when it is not known any more. */
  readonly document: documentStorage.Document | undefined;
  /** User name of the modifier; undefined when the user is not known any more. */
  readonly username: string | undefined;
}

/** The record of an annotation whose export nodes were made by its own schema. */
export function toRecord(
  { annotation: item, contentJson }: annotation.ExportAnnotation,
  { urls, document, username }: RecordSources,
): ExportRecord {
  if (!item) throw new Error('an exported annotation came without its fields');
  return {
    url: urls.annotation(item.id),
    status: item.status,
    arrived_at: toIso(item.arrivedAt),
    exported_at: toIso(item.exportedAt),
    document: {
      url: urls.document(item.documentId),
      file_name: document?.originalFileName ?? '',
      file: urls.documentContent(item.documentId),
    },
    modifier: item.modifierId === undefined ? null : { url: urls.user(item.modifierId), username: username ?? '' },
    schema: { url: urls.schema(item.schemaId) },
    metadata: item.metadata ?? {},
    content: contentJson === '' ? [] : (JSON.parse(contentJson) as ExportNode[]),
    automated: item.automated,
    modified_at: toIso(item.modifiedAt),
    assigned_at: toIso(item.assignedAt),
  };
}

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ` (API: README.md section 7). */
function toIso(at: Date | undefined): string | null {
  return at ? at.toISOString().replace('Z', '000Z') : null;
}
