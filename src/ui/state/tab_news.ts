/** What other tabs of this page must hear of: each keeps its own copy of what is stored. */
export type TabNews =
  | { readonly kind: 'models' }
  | { readonly kind: 'chat'; readonly id: string };

export interface TabChannel {
  /** Tells all other tabs. */
  tell(news: TabNews): void;
  listen(hear: (news: TabNews) => void): void;
}

/** Tabs of one origin talk over a BroadcastChannel; a browser without one has tabs that learn by reloading. */
export function createTabChannel(name: string): TabChannel {
  if (typeof BroadcastChannel === 'undefined') return { tell: () => undefined, listen: () => undefined };
  const channel = new BroadcastChannel(name);
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
    tell: (news) => channel.postMessage(news),
    listen: (hear) => channel.addEventListener('message', (event) => hear(event.data as TabNews)),
  };
}
