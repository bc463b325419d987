import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** WCAG 2.2, success criterion 1.4.3: text of ordinary size. */
const LEAST_CONTRAST = 4.5;

const PAIRS: Readonly<Record<string, readonly string[]>> = {
  text: ['ground', 'surface', 'sunken', 'raised', 'bubble', 'error-soft', 'warn-soft'],
  'text-soft': ['ground', 'surface', 'sunken', 'raised'],
  'accent-strong': ['ground', 'surface', 'sunken', 'bubble', 'accent-soft'],
  'on-accent': ['accent'],
  error: ['surface', 'raised', 'error-soft'],
  warn: ['raised', 'sunken', 'warn-soft'],
};

/** The custom properties that are plain colours, of one theme. */
function coloursOf(css: string, selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  const rules = css.slice(start, css.indexOf('}', start));
  return new Map([...rules.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name, colour]));
}

/** WCAG's relative luminance of an sRGB colour '#rrggbb'. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

describe.each([['light', ':root'], ['dark', ":root[data-theme='dark']"]])('%s theme', (_, selector) => {
  const colours = coloursOf(readFileSync('src/ui/styles/tokens.css', 'utf8'), selector);
  it.each(Object.entries(PAIRS).flatMap(([text, grounds]) => grounds.map((ground) => [text, ground])))('%s on %s', (text, ground) => {
    expect(contrast(colours.get(text)!, colours.get(ground)!)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
  });
});
