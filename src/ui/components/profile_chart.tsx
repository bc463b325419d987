import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useApp } from '../context.ts';

export interface ChartSeries {
  readonly label: string;
  /** CSS variable of its colour: '--accent'. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

interface ProfileChartProps {
  /** What screen readers are told. */
  readonly label: string;
  /** Numbers of the steps. */
  readonly x: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  /** Bounds of the vertical axis, from what the values span. */
  readonly range: (min: number, max: number) => [number, number];
}

const HEIGHT = 132;

/** Lines over the steps. The plot is made anew with each theme: its colours are fixed. */
export function ProfileChart({ label, x, series, format, range }: ProfileChartProps): JSX.Element {
  const { layout } = useApp().app;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = layout.theme.value;
  const data: uPlot.AlignedData = [[...x], ...series.map(({ values }) => [...values])];

  useLayoutEffect(() => {
    const parent = box.current;
    if (parent === null) return;
    const style = getComputedStyle(parent);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const axis = { stroke: color('--text-soft'), font: `11px ${style.fontFamily}`, grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
    const made = new uPlot({
      width: parent.clientWidth, height: HEIGHT, cursor: { show: false }, legend: { show: false }, padding: [8, 6, 0, 0],
      scales: { x: { time: false }, y: { range: (_, min, max) => range(min ?? 0, max ?? 1) } },
      axes: [{ ...axis, size: 22, space: 60 }, { ...axis, size: 52, space: 28, values: (_, splits) => splits.map(format) }],
      series: [{}, ...series.map((line) => ({ label: line.label, stroke: color(line.color), width: 1.75, points: { show: false }, spanGaps: true }))],
    }, data, parent);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height: HEIGHT }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [theme, series.length]);

  // Before the page is painted, so that lines and numbers are of the same step.
  useLayoutEffect(() => plot.current?.setData(data));

  return (
    <figure class="profile-chart">
      <div ref={box} role="img" aria-label={label} />
      <figcaption>
        {series.map((line) => (
          <span key={line.label} class="profile-key"><i style={{ background: `var(${line.color})` }} />{line.label}</span>
        ))}
      </figcaption>
    </figure>
  );
}
