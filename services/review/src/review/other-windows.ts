/** Other windows of this browser that show the same thing, while it is open. */
export interface OtherWindows {
  /** Whether there are some. */
  readonly any: () => boolean;
  readonly close: () => void;
}

/** Finds the other windows that watch the same name. A window that has crashed is not missed. */
export function watchWindows(name: string): OtherWindows {
  const channel = new BroadcastChannel(name);
  const me = String(Math.random());
  const others = new Set<string>();
  const say = (what: 'asks' | 'is here' | 'goes') => channel.postMessage({ what, who: me });
  channel.onmessage = ({ data: { what, who } }) => {
    if (what === 'goes') others.delete(who);
    else others.add(who);
    if (what === 'asks') say('is here');
  };
  say('asks');
  return {
    any: () => others.size > 0,
    close() {
      say('goes');
      channel.close();
    },
  };
}
