import { ExternalLinkIcon } from '@radix-ui/react-icons';
import { useEffect, useRef } from 'react';
import type { ContentNode, SchemaNode } from '../api/types';
import { texts } from '../texts';
import { showToast } from '../ui/toast';

/** A field of the type `button`: it runs the extensions of its queue, or opens a page of theirs. */
export function FieldButton({
  node,
  schema,
  label,
  isDisabled,
  onPress,
}: {
  readonly node: ContentNode;
  readonly schema: SchemaNode;
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onPress: (node: ContentNode, schema: SchemaNode) => void;
}) {
  return (
    <button
      type="button"
      className="field-button"
      aria-label={label}
      disabled={isDisabled}
      onClick={() => onPress(node, schema)}
    >
      {schema.label}
      {schema.popup_url && <ExternalLinkIcon aria-hidden />}
    </button>
  );
}

/** What a page that a button has opened may read and do. */
export interface PopupTools {
  readonly readTree: () => readonly ContentNode[];
  readonly write: (id: number, value: string) => void;
  readonly finish: (buttonId: number) => void;
}

/**
 * Opens the pages of buttons and answers them. API: hooks-and-connectors.md section 7.5. Only the page that was opened is heard, and
 * only while it is at the address of the schema. `GET_TOKEN` is answered with null: this page itself holds no token, only a session.
 */
export function usePopup(tools: PopupTools) {
  const latest = useRef(tools);
  latest.current = tools;
  const open = useRef<{ readonly popup: Window; readonly origin: string; readonly buttonId: number } | null>(null);

  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent) => {
      const known = open.current;
      if (!known || source !== known.popup || origin !== known.origin) return;
      const answer = (result: unknown) => known.popup.postMessage({ type: data.type, result }, known.origin);
      switch (data?.type) {
        case 'GET_DATAPOINTS':
          return answer(latest.current.readTree());
        case 'UPDATE_DATAPOINT':
          if (Number.isInteger(Number(data.data?.id)) && typeof data.data.value === 'string') {
            latest.current.write(Number(data.data.id), data.data.value);
          }
          return;
        case 'GET_TOKEN':
          return answer(null);
        case 'FINISH':
          known.popup.close();
          open.current = null;
          latest.current.finish(known.buttonId);
      }
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, []);

  return (buttonId: number, url: string) => {
    const address = URL.canParse(url) ? new URL(url) : null;
    if (!address || !['https:', 'http:'].includes(address.protocol)) return showToast(texts.review.popupWrong, true);
    const popup = window.open(address.href, 'intake-button', 'popup,width=900,height=700');
    if (!popup) return showToast(texts.review.popupBlocked, true);
    open.current = { popup, origin: address.origin, buttonId };
    popup.focus();
  };
}
