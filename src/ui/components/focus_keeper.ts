import { useEffect } from 'preact/hooks';

/**
 * Keeps the keyboard's place: a button that its own action removes, disables or closes its dialog on (Stop, Answer
 * again, Open, Delete) would leave the focus nowhere, so that the next Tab starts at the top of the page. The message
 * box gets it instead.
 */
export function useFocusKeeper(): void {
  useEffect(() => {
    let focused: Element | null = null;
    const onFocus = (event: FocusEvent): void => {
      focused = event.target instanceof Element ? event.target : null;
    };
    const observer = new MutationObserver(() => {
      if (focused === null || canHoldFocus(focused)) return;
      const { activeElement, body } = document;
      const lost = activeElement === null || activeElement === body || activeElement === focused;
      focused = null;
      if (lost) document.getElementById('message')?.focus({ preventScroll: true });
    });
    document.addEventListener('focusin', onFocus);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'open'] });
    return () => {
      document.removeEventListener('focusin', onFocus);
      observer.disconnect();
    };
  }, []);
}

function canHoldFocus(element: Element): boolean {
  return element.isConnected && !element.matches(':disabled') && element.closest('dialog:not([open])') === null;
}
