import type { JSX } from 'preact';

/** Stroke icons on a 20 × 20 grid; decorative, so their buttons carry the label. */
const PATHS = {
  menu: 'M3 6h14M3 10h14M3 14h14',
  plus: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5L5 15',
  trash: 'M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6M8.7 9v4.5M11.3 9v4.5',
  download: 'M10 3v9M6.5 9L10 12.5 13.5 9M4 16h12',
  upload: 'M10 13V4M6.5 7L10 3.5 13.5 7M4 16h12',
  folder: 'M3 6.5c0-.8.7-1.5 1.5-1.5H8l1.5 2h6c.8 0 1.5.7 1.5 1.5v6c0 .8-.7 1.5-1.5 1.5h-11c-.8 0-1.5-.7-1.5-1.5z',
  sliders: 'M4 6h7M15 6h1M4 14h1M9 14h7M13 4v4M7 12v4',
  sun: 'M10 6.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1',
  moon: 'M16 11.6A6.5 6.5 0 018.4 4 6.5 6.5 0 1016 11.6z',
  send: 'M10 16V4M5 9l5-5 5 5',
  edit: 'M4 16l.8-3.2 8.4-8.4a1.5 1.5 0 012.1 0l.3.3a1.5 1.5 0 010 2.1L7.2 15.2z',
  retry: 'M16 10a6 6 0 11-1.8-4.3M16 3v3.5h-3.5',
  copy: 'M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3',
  check: 'M4 10.5l4 4 8-9',
  down: 'M10 4v12M5 11l5 5 5-5',
  alert: 'M10 3l7.5 13h-15zM10 8v4M10 14v.2',
  info: 'M10 2.8a7.2 7.2 0 100 14.4 7.2 7.2 0 000-14.4zM10 9v5M10 6.2v.2',
  report: 'M4 16h12M6 13v-3M10 13V5M14 13V8',
  gauge: 'M4.2 15a7.5 7.5 0 1111.6 0M10 11.5l3.2-4',
  pulse: 'M2.5 10.5h3.2l2-6 3.8 11 2.2-5h3.8',
  chip: 'M6 6h8v8H6zM8.5 3v3M11.5 3v3M8.5 14v3M11.5 14v3M3 8.5h3M3 11.5h3M14 8.5h3M14 11.5h3',
} as const;

export function Icon({ name, size = 18 }: { name: keyof typeof PATHS; size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" fill="none"
      stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark: a grid of experts, the hot ones lit. */
export function Logo({ size = 26 }: { size?: number }): JSX.Element {
  const cells = [0, 0, 2, 0, 2, 0, 1, 0, 0];
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 30 30" aria-hidden="true">
      {cells.map((heat, index) => (
        <rect key={index} class={`heat-${heat}`} x={(index % 3) * 10 + 1} y={Math.floor(index / 3) * 10 + 1} width="8" height="8" rx="2.5" />
      ))}
    </svg>
  );
}
