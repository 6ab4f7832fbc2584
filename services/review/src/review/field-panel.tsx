import { CheckIcon, Cross2Icon, EyeOpenIcon, PlusIcon } from '@radix-ui/react-icons';
import type { BlockerReason, ContentNode, Message, SchemaNode } from '../api/types';
import { texts } from '../texts';
import { FieldButton } from './buttons';
import { childrenOf, isHidden, needsPerson, rowsOf, type SchemaIndex } from './content';
import { FieldInput } from './field-input';

/** What the fields of a review share. */
export interface FieldProps {
  readonly index: SchemaIndex;
  readonly messages: readonly Message[];
  readonly drafts: ReadonlyMap<number, string>;
  readonly reasons: readonly BlockerReason[];
  readonly activeId: number | null;
  readonly hoveredId: number | null;
  readonly isReadOnly: boolean;
  readonly onActivate: (id: number) => void;
  readonly onHover: (id: number | null) => void;
  readonly onType: (id: number, value: string) => void;
  readonly onAddRow: (multivalue: ContentNode) => void;
  readonly onRemoveRow: (multivalue: ContentNode, row: number) => void;
  readonly onPress: (button: ContentNode, schema: SchemaNode) => void;
}

/** The fields of a document, by section. */
export function FieldPanel({ tree, ...props }: FieldProps & { readonly tree: readonly ContentNode[] }) {
  return tree.map((section) => {
    const schema = props.index.get(section.schema_id);
    const children = (section.children ?? []).filter((node) => isShown(node, props.index));
    const buttons = (section.children ?? []).filter((node) => isButton(node, props.index));
    if (!schema || children.length + buttons.length === 0) return null;
    return (
      <section key={section.id} className="fields" aria-label={schema.label}>
        <h2>{schema.label}</h2>
        {children.map((node) =>
          node.category === 'multivalue' ? (
            <ValueList key={node.id} {...props} multivalue={node} />
          ) : (
            <FieldRow key={node.id} {...props} node={node} />
          ),
        )}
        {buttons.length > 0 && (
          <p className="field-buttons">
            {buttons.map((node) => {
              const button = props.index.get(node.schema_id) as SchemaNode;
              return (
                <FieldButton
                  key={node.id}
                  node={node}
                  schema={button}
                  label={button.label}
                  isDisabled={props.isReadOnly}
                  onPress={props.onPress}
                />
              );
            })}
          </p>
        )}
      </section>
    );
  });
}

/** Tables have a place of their own. */
function isShown(node: ContentNode, index: SchemaIndex): boolean {
  const schema = index.get(node.schema_id);
  if (!schema || schema.type === 'button' || isHidden(node, schema)) return false;
  return node.category === 'datapoint' || childrenOf(schema)[0]?.category === 'datapoint';
}

function isButton(node: ContentNode, index: SchemaIndex): boolean {
  const schema = index.get(node.schema_id);
  return schema?.type === 'button' && !isHidden(node, schema);
}

function ValueList({ multivalue, ...props }: FieldProps & { readonly multivalue: ContentNode }) {
  const schema = props.index.get(multivalue.schema_id) as SchemaNode;
  return (
    <fieldset className="values">
      <legend>{schema.label}</legend>
      {rowsOf(multivalue, props.index).map(({ row: node, at }, i) => (
        <FieldRow
          key={node.id}
          {...props}
          node={node}
          label={`${schema.label} ${i + 1}`}
          onRemove={() => props.onRemoveRow(multivalue, at)}
        />
      ))}
      {!props.isReadOnly && (
        <button type="button" className="link" onClick={() => props.onAddRow(multivalue)}>
          <PlusIcon /> {texts.review.addValue}
        </button>
      )}
    </fieldset>
  );
}

function FieldRow({
  node,
  label,
  onRemove,
  ...props
}: FieldProps & { readonly node: ContentNode; readonly label?: string; readonly onRemove?: () => void }) {
  const { index, drafts, activeId, hoveredId, isReadOnly, onActivate, onHover, onType, reasons } = props;
  const schema = index.get(node.schema_id);
  if (!schema) return null;
  const messages = props.messages.filter(({ id, type }) => id === String(node.id) && type !== 'aggregation');
  const draft = drafts.get(node.id);
  const needs = draft === undefined && needsPerson({ id: node.id, node, schema }, messages);
  const noteId = `note-${node.id}`;
  const why = needs ? reasonsOf(node, reasons) : [];
  const name = label ?? schema.label;
  const isActive = node.id === activeId;
  return (
    <div
      className={`field${isActive ? ' active' : ''}${node.id === hoveredId ? ' hovered' : ''}${needs ? ' needs' : ''}`}
      onPointerEnter={() => onHover(node.id)}
      onPointerLeave={() => onHover(null)}
    >
      <span className="field-name">
        {name}
        {schema.constraints?.required !== false && <span className="required"> *</span>}
      </span>
      <FieldInput
        node={node}
        schema={schema}
        draft={draft}
        label={name}
        describedBy={noteId}
        isInvalid={messages.some(({ type }) => type === 'error')}
        isReadOnly={isReadOnly}
        onType={(value) => onType(node.id, value)}
        onFocus={() => onActivate(node.id)}
      />
      <FieldState node={node} schema={schema} needs={needs} isDraft={draft !== undefined} />
      {onRemove && !isReadOnly && (
        <button
          type="button"
          className="icon remove"
          aria-label={`${texts.review.removeRow}: ${name}`}
          onClick={onRemove}
        >
          <Cross2Icon />
        </button>
      )}
      <div className="notes" id={noteId}>
        {messages.map(({ type, content }) => (
          <span key={`${type} ${content}`} className={`note ${type}`}>
            {content}
          </span>
        ))}
        {messages.length === 0 &&
          isActive &&
          why.map((text) => (
            <span key={text} className="note muted">
              {text}
            </span>
          ))}
      </div>
    </div>
  );
}

/** Confidence and what confirmed a value, by sign and by word. */
export function FieldState({
  node,
  schema,
  needs,
  isDraft,
}: {
  readonly node: ContentNode;
  readonly schema: SchemaNode;
  readonly needs: boolean;
  readonly isDraft: boolean;
}) {
  const confidence = node.content?.rir_confidence;
  const sources = isDraft ? ['human'] : (node.validation_sources ?? []);
  const isFormula = schema.ui_configuration?.type === 'formula';
  const about = [
    isFormula ? texts.review.formula : '',
    confidence === null || confidence === undefined ? '' : texts.review.confidence(Math.floor(confidence * 100)),
    sources.length > 0
      ? texts.review.checkedBy(sources.map((source) => texts.sources[source] ?? source).join(', '))
      : texts.review.notChecked,
  ].filter(Boolean);
  const byPerson = sources.includes('human');
  return (
    <span className={`field-state ${needs ? 'needs' : 'fine'}`} title={about.join('; ')}>
      {!byPerson && confidence !== null && confidence !== undefined && node.content?.value !== '' && (
        <span aria-hidden>{Math.floor(confidence * 100)}</span>
      )}
      {needs ? <EyeOpenIcon aria-hidden /> : <CheckIcon aria-hidden />}
      <span className="hidden">{about.join('; ')}</span>
    </span>
  );
}

/** Why automation stopped at a value, in words. */
export function reasonsOf(node: ContentNode, reasons: readonly BlockerReason[]): string[] {
  return reasons.flatMap((reason) =>
    (reason.samples ?? [])
      .filter(({ datapoint_id: id }) => id === node.id)
      .map(({ details = {} }) => describeReason(reason.type, details)),
  );
}

export function describeReason(type: string, details: Readonly<Record<string, unknown>> = {}): string {
  const text = texts.blockers[type] ?? type;
  if (typeof details.score === 'number' && typeof details.threshold === 'number') {
    return `${text} (${Math.floor(details.score * 100)} %, ${Math.round(details.threshold * 100)} % wanted)`;
  }
  const said = details.message_content ?? details.content;
  return Array.isArray(said) && said.length > 0 ? `${text}: ${said.join('; ')}` : text;
}
