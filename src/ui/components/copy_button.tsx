import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

const COPIED_MILLIS = 1500;

export function CopyButton({ text, label }: { text: string; label: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MILLIS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    // A refusal (no permission) leaves the icon as it is: the text can still be selected.
    navigator.clipboard.writeText(text).then(() => setCopied(true), () => undefined);
  };
  return (
    <button type="button" class="icon-button quiet" aria-label={copied ? 'Copied' : label} title={label} onClick={copy}>
      <Icon name={copied ? 'check' : 'copy'} size={16} />
    </button>
  );
}
