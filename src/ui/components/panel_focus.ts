import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * Moves the keyboard focus into a panel when it opens over the page, and back to where it came from when it closes.
 * @param active whether the panel is open and asks for the focus
 */
export function usePanelFocus(panel: RefObject<HTMLElement | null>, active: boolean): void {
  const cameFrom = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (!active) return;
    cameFrom.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    panel.current?.querySelector<HTMLElement>('[data-panel-close]')?.focus();
    return () => {
      // Whoever has moved on to another place keeps it.
      const focused = document.activeElement;
      if (focused === null || focused === document.body || panel.current?.contains(focused)) cameFrom.current?.focus();
    };
  }, [active]);
}
