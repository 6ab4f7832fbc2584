import type { JsonObject } from '../fields';

/** Types that a queue accepts unless it says otherwise. API: workspaces-queues.md section 3. */
export const DEFAULT_ACCEPTED_MIME_TYPES: readonly string[] = [
  'image/*',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/msword',
  'application/vnd.ms-excel',
  'application/zip',
];

/** `settings` of a new queue. API: workspaces-queues.md section 3. */
export const DEFAULT_SETTINGS: JsonObject = {
  accepted_mime_types: DEFAULT_ACCEPTED_MIME_TYPES,
  columns: [],
  annotation_list_table: {},
  hide_export_button: true,
  autopilot: null,
  asynchronous_export: true,
  automation: { automate_duplicates: true, automate_suggested_edit: false },
  rejection_config: { enabled: true },
  suggested_recipients_sources: [{ source: 'email_header' }],
  suggested_edit: 'disable',
  dashboard_customization: {
    all_documents: false,
    confirmed: true,
    deleted: true,
    exported: true,
    postponed: true,
    rejected: true,
    to_review: true,
  },
  email_notifications: {
    recipient: null,
    unprocessable_attachments: false,
    postponed_annotations: false,
    deleted_annotations: false,
    email_with_no_attachments: true,
  },
  workflows: { enabled: false, bypass_workflows_allowed: false },
  upload_values: [],
  ui_upload_enabled: true,
  ui_validation_screen_enabled: true,
  ui_on_edit_confirm: 'validate_first',
  ui_edit_values: [],
};
