import type { JSX, TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ExpertSnapshot } from '../../profile/snapshot.ts';
import { useApp } from '../context.ts';
import { heatColor, heatText, rgbOf } from '../lib/expert_heat.ts';
import { formatCount } from '../lib/format.ts';

/** How much of its colour an expert keeps that is not on the device. */
const ABSENT_STRENGTH = 0.3;
/** CSS pixels; a map of few layers is not stretched beyond this. */
const MAX_ROW_HEIGHT = 12;

/** One cell an expert: how often tokens went to it. */
export function ProfileHeat({ experts }: { experts: ExpertSnapshot }): JSX.Element {
  const { layout } = useApp().app;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const theme = layout.theme.value;
  const { layers, expertCount, heat, resident } = experts;

  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context) return;
    const style = getComputedStyle(canvas.current);
    const stops = ['--heat-0', '--heat-1', '--heat-2'].map((name) => rgbOf(style.getPropertyValue(name)));
    const ground = rgbOf(style.getPropertyValue('--sunken'));
    const most = heat.reduce((max, count) => Math.max(max, count), 1);
    const image = context.createImageData(expertCount, layers.length);
    heat.forEach((count, at) => {
      const color = heatColor(count / most, stops);
      const strength = resident?.[at] === 0 ? ABSENT_STRENGTH : 1;
      for (let i = 0; i < 3; i++) image.data[4 * at + i] = ground[i] + (color[i] - ground[i]) * strength;
      image.data[4 * at + 3] = 255;
    });
    context.putImageData(image, 0, 0);
  }, [experts, theme]);

  const point = ({ currentTarget, offsetX, offsetY }: TargetedMouseEvent<HTMLCanvasElement>): void => {
    const expert = Math.floor((offsetX / currentTarget.clientWidth) * expertCount);
    const row = Math.floor((offsetY / currentTarget.clientHeight) * layers.length);
    const inside = expert >= 0 && expert < expertCount && row >= 0 && row < layers.length;
    setPointed(inside ? row * expertCount + expert : null);
  };
  return (
    <figure class="profile-heat">
      <canvas ref={canvas} width={expertCount} height={layers.length} role="img" aria-label="Heat map of layers by experts"
        aria-describedby="profile-heat-text" data-testid="profile-heat" style={{ maxHeight: `${layers.length * MAX_ROW_HEIGHT}px` }}
        onMouseMove={point} onMouseLeave={() => setPointed(null)} />
      <figcaption id="profile-heat-text" class="hint" data-testid="profile-heat-text">
        {pointed === null ? heatText(experts) : cellText(experts, pointed)}
        {resident !== null && pointed === null && ' Faint cells are not on the device.'}
      </figcaption>
    </figure>
  );
}

function cellText({ layers, expertCount, heat, resident }: ExpertSnapshot, at: number): string {
  const place = resident === null || resident[at] === 1 ? 'on the device' : 'not on the device';
  return `Layer ${layers[Math.floor(at / expertCount)]}, expert ${at % expertCount}: ${formatCount(heat[at])} tokens, ${place}.`;
}
