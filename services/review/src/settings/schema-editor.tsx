import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { call } from '../api/client';
import type { Schema, SchemaNode } from '../api/types';
import { childrenOf } from '../review/content';
import { texts } from '../texts';
import { showToast } from '../ui/toast';
import { changesBetween, parseContent, problemsOf } from './schema-text';

const t = texts.settings.schema;

/** The fields of a schema as a tree beside its JSON, checked by the service while it is written. */
export function SchemaEditor({ schema }: { readonly schema: Schema }) {
  const client = useQueryClient();
  const [text, setText] = useState(() => JSON.stringify(schema.content, null, 2));
  const settled = useDeferredValue(text);
  const parsed = parseContent(settled);
  const content = 'content' in parsed ? parsed.content : undefined;
  const check = useQuery({
    queryKey: ['schema check', settled],
    enabled: content !== undefined,
    queryFn: ({ signal }) =>
      call<Record<string, unknown>>('/schemas/validate', { method: 'POST', body: { content }, signal }),
  });
  const problems = 'problem' in parsed ? [`${t.notJson} ${parsed.problem}`] : problemsOf(check.data ?? {});
  const changes = content ? changesBetween(schema.content, content) : [];
  const mayBeSaved = content !== undefined && check.isSuccess && problems.length === 0 && changes.length > 0;
  const save = async () => {
    try {
      await call(schema.url, { method: 'PATCH', body: { content } });
      await client.invalidateQueries({ queryKey: ['schemas'] });
      showToast(texts.saved);
    } catch (error) {
      showToast((error as Error).message, true);
    }
  };
  return (
    <section className="card padded schema-editor" aria-label={texts.settings.queue.schema}>
      <h2>{texts.settings.queue.schema}</h2>
      <div className="schema-columns">
        <div>
          <h3>{t.tree}</h3>
          <SchemaTree nodes={content ?? schema.content} />
        </div>
        <div className="schema-text">
          <label>
            <h3>{t.json}</h3>
            <textarea
              value={text}
              spellCheck={false}
              aria-invalid={problems.length > 0}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <div role="status" aria-live="polite">
            {problems.map((problem) => (
              <p key={problem} className="problem">
                {problem}
              </p>
            ))}
            {problems.length === 0 &&
              (check.isFetching ? <p className="muted">{t.checking}</p> : <p className="fine">{t.correct}</p>)}
          </div>
          <h3>{t.preview}</h3>
          {changes.length === 0 ? (
            <p className="muted">{t.noChange}</p>
          ) : (
            <>
              <ul className="changes">
                {changes.map(({ kind, id, label }) => (
                  <li key={`${kind} ${id}`}>
                    <span className={`tag ${kind}`}>{t[kind]}</span> {label} <span className="muted">{id}</span>
                  </li>
                ))}
              </ul>
              <p className="muted small">{t.warning}</p>
            </>
          )}
          <div className="row end">
            <button type="button" className="primary" disabled={!mayBeSaved} onClick={() => void save()}>
              {t.save}
            </button>
          </div>
        </div>
      </div>
    </section>
  );
}

function SchemaTree({ nodes }: { readonly nodes: readonly SchemaNode[] }) {
  return (
    <ul className="tree">
      {nodes.map((node) => (
        <li key={node.id}>
          <span className={node.hidden ? 'muted' : undefined}>{node.label}</span>{' '}
          <span className="muted small">
            {node.id} · {node.type ?? node.category}
          </span>
          {childrenOf(node).length > 0 && <SchemaTree nodes={childrenOf(node)} />}
        </li>
      ))}
    </ul>
  );
}
