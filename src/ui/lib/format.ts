/** Numbers as people read them. Decimal units (1 GB = 10⁹ bytes), as browsers and file managers show. */

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** 1234567 → '1.2 MB'. */
export function formatBytes(byteLength: number): string {
  let value = Math.max(0, byteLength);
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit]}`;
}

/** Seconds → '12 s', '3 min 5 s', '2 h 10 min'. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Milliseconds → '85 ms', '1.2 s'. */
export function formatMillis(millis: number): string {
  return millis < 999.5 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`;
}

/** 8.256 → '8.3', 123.4 → '123'. */
export function formatRate(perSecond: number): string {
  return perSecond >= 99.5 ? perSecond.toFixed(0) : perSecond.toFixed(1);
}

/** 4096 → '4,096'. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A date short enough for a list: today's time, else day and month, with the year where it differs. */
export function formatDate(epochMillis: number, nowMillis: number): string {
  const date = new Date(epochMillis);
  const now = new Date(nowMillis);
  if (date.toDateString() === now.toDateString()) {
    return date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  }
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year });
}
