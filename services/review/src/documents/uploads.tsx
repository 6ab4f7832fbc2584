import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { sendFile } from '../api/client';
import { texts } from '../texts';

interface Sending {
  readonly id: number;
  readonly name: string;
  readonly part: number;
  readonly state: 'sending' | 'done' | 'failed';
  readonly problem?: string;
}

/** Files that are sent at the same time. */
const PARALLEL = 3;
let last = 0;

/** A place where files are dropped or chosen, and what becomes of them. */
export function UploadArea({ queueId, children }: { readonly queueId: number; readonly children: ReactNode }) {
  const client = useQueryClient();
  const [sendings, setSendings] = useState<readonly Sending[]>([]);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const change = (id: number, to: Partial<Sending>) =>
    setSendings((before) => before.map((one) => (one.id === id ? { ...one, ...to } : one)));

  const send = async (files: readonly File[]) => {
    const waiting = files.map((file) => ({ id: ++last, file }));
    setSendings((before) => [
      ...before.filter(({ state }) => state === 'sending'),
      ...waiting.map(({ id, file }) => ({ id, name: file.name, part: 0, state: 'sending' as const })),
    ]);
    const line = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { id, file } = next;
        try {
          await sendFile(`/uploads?queue=${queueId}`, file, (part) => change(id, { part }));
          change(id, { part: 1, state: 'done' });
          for (const key of ['annotations', 'queues']) void client.invalidateQueries({ queryKey: [key] });
        } catch (error) {
          change(id, { state: 'failed', problem: (error as Error).message });
        }
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, line));
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way; the button inside is the other
    <div
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(event.dataTransfer.types.includes('Files'));
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void send([...event.dataTransfer.files]);
      }}
    >
      {isOver && <div className="drop-hint">{texts.documents.dropNow}</div>}
      <div className="drop-line">
        {texts.documents.drop}{' '}
        <button type="button" className="link" onClick={() => input.current?.click()}>
          {texts.documents.choose}
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={texts.documents.upload}
          onChange={(event) => {
            void send([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
      </div>
      {sendings.length > 0 && (
        <ul className="sendings" aria-label={texts.documents.uploading}>
          {sendings.map(({ id, name, part, state, problem }) => (
            <li key={id} className={state}>
              <span className="name">{name}</span>
              {state === 'failed' ? (
                <span className="problem" role="alert">
                  {problem}
                </span>
              ) : (
                <progress value={part} max={1} aria-label={name} />
              )}
              {state === 'done' && <span className="muted">{texts.documents.uploaded}</span>}
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}
