import type { JSX, TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { HELD_BETTER, type ExpertSnapshot } from '../../profile/snapshot.ts';
import { useApp } from '../context.ts';
import { heatColor, heatText, rgbOf } from '../lib/expert_heat.ts';
import { formatCount } from '../lib/format.ts';

/** How much of its colour an expert keeps that is not on the device. */
const ABSENT_STRENGTH = 0.3;
/** CSS pixels; a map of few layers is not stretched beyond this. */
const MAX_ROW_HEIGHT = 12;

/** One cell an expert: how often tokens went to it, and by its colour which copy of it they use. */
export function ProfileHeat({ experts }: { experts: ExpertSnapshot }): JSX.Element {
  const { layout } = useApp().app;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const theme = layout.theme.value;
  const { layers, expertCount, heat, resident, pool } = experts;

  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context) return;
    const style = getComputedStyle(canvas.current);
    const [stops, copyStops] = ['heat', 'copy'].map((ramp) => [0, 1, 2].map((i) => rgbOf(style.getPropertyValue(`--${ramp}-${i}`))));
    const ground = rgbOf(style.getPropertyValue('--sunken'));
    const most = heat.reduce((max, count) => Math.max(max, count), 1);
    const image = context.createImageData(expertCount, layers.length);
    heat.forEach((count, at) => {
      const color = heatColor(count / most, isCopy(experts, at) ? copyStops : stops);
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
        {pool !== null && pool.tierSlotCount > 0 && pointed === null && ' Blue ones run from an FP4 copy.'}
      </figcaption>
    </figure>
  );
}

const isCopy = ({ resident }: ExpertSnapshot, at: number): boolean => resident !== null && (resident[at] & HELD_BETTER) !== 0;

function cellText(experts: ExpertSnapshot, at: number): string {
  const { layers, expertCount, heat, resident } = experts;
  const place = resident?.[at] === 0 ? 'not on the device' : isCopy(experts, at) ? 'on the device as an FP4 copy' : 'on the device';
  return `Layer ${layers[Math.floor(at / expertCount)]}, expert ${at % expertCount}: ${formatCount(heat[at])} tokens, ${place}.`;
}
