/** Objects of the API, as far as the page reads them. Times are ISO strings, references URLs. */

export interface Page<T> {
  readonly pagination: { readonly total: number; readonly total_pages: number; readonly next: string | null };
  readonly results: readonly T[];
}

export interface User {
  readonly id: number;
  readonly url: string;
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly groups: readonly string[];
  readonly organization: string;
  readonly queues: readonly string[];
  readonly is_active: boolean;
  readonly last_login: string | null;
  readonly auth_type: string;
}

export interface Workspace {
  readonly id: number;
  readonly url: string;
  readonly name: string;
}

export interface Queue {
  readonly id: number;
  readonly url: string;
  readonly name: string;
  readonly workspace: string | null;
  readonly schema: string;
  readonly inbox: string | null;
  readonly hooks: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly session_timeout: string;
  readonly default_score_threshold: number;
  readonly automation_enabled: boolean;
  readonly automation_level: 'always' | 'confident' | 'never';
  readonly locale: string;
  readonly use_confirmed_state: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Inbox {
  readonly id: number;
  readonly url: string;
  readonly name: string;
  readonly email: string;
  readonly email_prefix: string;
}

export interface Hook {
  readonly id: number;
  readonly url: string;
  readonly name: string;
  readonly type: string;
  readonly active: boolean;
  readonly events: readonly string[];
  readonly queues: readonly string[];
  readonly config: { readonly url?: string };
}

export interface HookCall {
  readonly uuid: string;
  /** The same for all attempts of one notification. */
  readonly request_id: string;
  readonly start: string;
  readonly event: string;
  readonly action: string;
  readonly hook_id: number;
  readonly annotation_id: number | null;
  readonly log_level: string;
  readonly message: string;
  readonly request: string | null;
  readonly response: string | null;
  readonly status: string;
  readonly status_code: number | null;
}

export interface Message {
  readonly id: string;
  readonly type: 'error' | 'warning' | 'info' | 'aggregation';
  readonly content: string;
  readonly schema_id?: string;
  readonly aggregation_type?: string;
}

export interface Annotation {
  readonly id: number;
  readonly url: string;
  readonly status: string;
  readonly queue: string;
  readonly schema: string;
  readonly document: string;
  readonly pages: readonly string[];
  readonly relations: readonly string[];
  readonly labels: readonly string[];
  readonly modifier: string | null;
  readonly email: string | null;
  readonly automated: boolean;
  readonly automation_blocker: string | null;
  readonly suggested_edit: string | null;
  readonly messages: readonly Message[] | null;
  readonly arrived_at: string;
  readonly modified_at: string | null;
  readonly einvoice: boolean;
}

export interface Label {
  readonly id: number;
  readonly url: string;
  readonly name: string;
}

export interface Download {
  readonly content: string;
}

export interface Task {
  readonly status: string;
  readonly detail: string | null;
  readonly result_url: string | null;
}

export interface Document {
  readonly id: number;
  readonly url: string;
  readonly original_file_name: string;
  readonly mime_type: string;
  readonly content: string;
  readonly email: string | null;
}

export interface PageObject {
  readonly id: number;
  readonly url: string;
  readonly number: number;
  readonly rotation_deg: number;
  readonly content: string;
  readonly width: number | null;
  readonly height: number | null;
}

/** How a document may be cut into several. */
export interface SuggestedEdit {
  readonly url: string;
  readonly documents: readonly {
    readonly pages: readonly { readonly page: string; readonly rotation: number; readonly deleted: boolean }[];
    readonly target_queue: string;
    readonly values: Readonly<Record<string, string>>;
  }[];
}

/** `[left, top, right, bottom]` in pixels of the page image. */
export type Box = readonly [number, number, number, number];

export interface Content {
  readonly value: string;
  readonly normalized_value: string | null;
  readonly page: number | null;
  readonly position: Box | null;
  readonly rir_text: string | null;
  readonly rir_confidence: number | null;
}

/** A node of the content of an annotation. */
export interface ContentNode {
  readonly id: number;
  readonly url: string;
  readonly schema_id: string;
  readonly category: 'section' | 'multivalue' | 'tuple' | 'datapoint';
  readonly children?: readonly ContentNode[];
  readonly content?: Content | null;
  readonly validation_sources?: readonly string[];
  readonly hidden?: boolean;
  readonly options?: readonly EnumOption[];
  /** Of tables. */
  readonly grid?: { readonly parts: readonly GridPart[] } | null;
}

/** The lines of a table on one page, in pixels of the page image. API: annotation-content.md section 5. */
export interface GridPart {
  readonly page: number;
  readonly columns: readonly GridColumn[];
  readonly rows: readonly GridRow[];
  readonly width: number;
  readonly height: number;
}

export interface GridColumn {
  readonly left_position: number;
  /** Null: the column is left out. */
  readonly schema_id: string | null;
  readonly header_texts: readonly string[];
}

export interface GridRow {
  readonly top_position: number;
  readonly tuple_id: number | null;
  /** Null: the row is left out. */
  readonly type: string | null;
}

export interface EnumOption {
  readonly value: string;
  readonly label: string;
}

/** A node of the content of a schema. */
export interface SchemaNode {
  readonly id: string;
  readonly label: string;
  readonly category: 'section' | 'multivalue' | 'tuple' | 'datapoint';
  readonly type?: 'string' | 'number' | 'date' | 'enum' | 'button';
  readonly hidden?: boolean;
  readonly format?: string | null;
  readonly options?: readonly EnumOption[];
  readonly constraints?: { readonly required?: boolean };
  readonly ui_configuration?: { readonly type?: string | null; readonly edit?: string } | null;
  readonly aggregations?: Readonly<Record<string, { readonly label?: string }>>;
  readonly width?: number;
  readonly stretch?: boolean;
  readonly formula?: string;
  readonly default_value?: string | null;
  readonly score_threshold?: number | null;
  readonly rir_field_names?: readonly string[] | null;
  /** Of buttons. */
  readonly popup_url?: string | null;
  /** Of tables. */
  readonly grid?: {
    readonly row_types: readonly string[];
    readonly default_row_type: string;
    readonly row_types_to_extract: readonly string[];
  } | null;
  readonly show_grid_by_default?: boolean;
  readonly children?: readonly SchemaNode[] | SchemaNode;
}

export interface Schema {
  readonly id: number;
  readonly url: string;
  readonly name: string;
  readonly content: readonly SchemaNode[];
  readonly queues: readonly string[];
}

export interface Word {
  readonly position: Box;
  readonly text: string;
}

export interface PageWords {
  readonly page_number: number;
  readonly items: readonly Word[];
}

export interface BlockerReason {
  readonly level: 'annotation' | 'datapoint';
  readonly type: string;
  readonly schema_id?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly samples?: readonly { readonly datapoint_id: number; readonly details?: Readonly<Record<string, unknown>> }[];
}

export interface HistoryEntry {
  readonly version: number;
  readonly at: string;
  readonly trigger: string;
  readonly previous_status: string | null;
  readonly status: string;
  readonly actor: string;
  readonly user: string | null;
  readonly values: readonly {
    readonly url: string;
    readonly schema_id: string;
    readonly previous_value: string | null;
    readonly value: string | null;
    readonly origin: string | null;
  }[];
}

/** What a confirmed annotation taught about its sender. */
export interface Lesson {
  readonly id: number;
  readonly url: string;
  readonly annotation: string;
  readonly queue: string;
  readonly sender_name: string;
  /** Names by which the sender is known again, the strongest first: `vat:...`, `iban:...`, `name:...`. */
  readonly senders: readonly string[];
  readonly fields: readonly { readonly name: string; readonly value: string; readonly corrected: boolean }[];
  readonly learned_at: string | null;
}

export interface Relation {
  readonly id: number;
  readonly type: 'edit' | 'attachment' | 'duplicate';
  readonly parent: string | null;
  readonly annotations: readonly string[];
}

export interface Email {
  readonly id: number;
  readonly subject: string | null;
  readonly from: { readonly email: string; readonly name?: string | null } | null;
  readonly created_at: string;
  readonly body_text_plain: string | null;
}

/** One change of content. API: annotation-content.md section 4.1. */
export type Operation =
  | { readonly op: 'replace'; readonly id: number; readonly value: CellValue }
  | { readonly op: 'remove'; readonly id: number }
  | {
      readonly op: 'add';
      readonly id: number;
      readonly value: readonly ({ readonly schema_id: string } & CellValue)[];
    };

export interface CellValue {
  readonly content?: { readonly value: string; readonly position?: Box | null; readonly page?: number | null };
  readonly validation_sources?: readonly string[];
}

export interface UsageValues {
  readonly imported_count: number | null;
  readonly confirmed_count: number | null;
  readonly rejected_count: number | null;
  readonly deleted_count: number | null;
  readonly exported_count: number | null;
  readonly turnaround_avg_s: number | null;
  readonly corrections_per_document_avg: number | null;
  readonly exported_on_time_count: number | null;
  readonly exported_late_count: number | null;
  readonly time_per_document_avg_s: number | null;
  readonly time_and_corrections_per_field?: readonly {
    readonly schema_id: string;
    readonly label: string;
    readonly total_count: number;
    readonly corrected_ratio: number;
    readonly time_spent_avg_s: number | null;
  }[];
}

export interface UsageReport {
  readonly series: readonly { readonly begin_date: string; readonly end_date: string; readonly values: UsageValues }[];
  readonly totals: UsageValues;
}
