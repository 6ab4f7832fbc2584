import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createStore, sessionLost } from '../session/session-store';
import { API } from './client';

/** Whether changes are told by the service at once; otherwise they are asked for. */
export const isLive = createStore(false);
/** Whether the browser has a network. */
export const isOnline = createStore(navigator.onLine);

const POLL_MS = 4000;
const TRY_AGAIN_MS = 30_000;
/** Changes that come together are read together. */
const GATHER_MS = 250;

/** Content of an annotation under review was written. */
interface ContentWritten {
  readonly annotation: string;
  readonly request_id: string | null;
}
type ContentListener = (written: ContentWritten | null) => void;
const contentListeners = new Set<ContentListener>();

/** Hears of writes of content; null: there may have been some that nobody told. Answers how to end it. */
export function onContentWritten(listener: ContentListener): () => void {
  contentListeners.add(listener);
  return () => void contentListeners.delete(listener);
}
const tellContent = (written: ContentWritten | null) => {
  for (const listener of contentListeners) listener(written);
};

/** How often a list is asked for while nothing tells of changes. */
export function useRefetchInterval(): number | false {
  const lost = sessionLost.use();
  const live = isLive.use();
  return lost || live ? false : POLL_MS;
}

/** Follows the events of the service while the page is seen; what they may have changed is read again. */
export function useLiveChanges(client: QueryClient, isLoggedIn: boolean): void {
  useEffect(() => {
    if (!isLoggedIn) return;
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let wasReady = false;
    const refresh = () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        for (const key of ['queues', 'annotations']) void client.invalidateQueries({ queryKey: [key] });
      }, GATHER_MS);
    };
    const close = () => {
      source?.close();
      source = undefined;
      clearTimeout(again);
      isLive.set(false);
    };
    const open = () => {
      close();
      // Browsers hold few connections to a site open: a page that nobody sees gives its own back.
      if (document.hidden) return;
      source = new EventSource(`${API}/events`);
      source.addEventListener('ready', () => {
        isLive.set(true);
        refresh();
        if (wasReady) tellContent(null);
        wasReady = true;
      });
      source.addEventListener('content', ({ data }) => tellContent(JSON.parse(data)));
      for (const event of ['annotation', 'suggested_edit']) source.addEventListener(event, refresh);
      source.onerror = () => {
        isLive.set(false);
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, TRY_AGAIN_MS);
      };
    };
    open();
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      close();
      clearTimeout(gathering);
    };
  }, [client, isLoggedIn]);
}

window.addEventListener('online', () => isOnline.set(true));
window.addEventListener('offline', () => isOnline.set(false));
