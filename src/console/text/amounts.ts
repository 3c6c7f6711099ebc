/** Costs, shares and sizes as people read them. */

/** In the currency of the configured prices, which has no name. */
export const costText = (cost: number): string =>
  cost.toLocaleString(undefined, {
    minimumFractionDigits: 2,
    maximumFractionDigits: cost > 0 && cost < 0.1 ? 4 : 2,
  });

/** A share as a whole number of percent; null of nothing. */
export const shareText = (part: number, whole: number): string | null =>
  whole === 0 ? null : `${Math.round((100 * part) / whole)} %`;

const UNITS = ["B", "KB", "MB", "GB", "TB"];

export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

/** A long duration with its two largest units. */
export function uptimeText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min` : "less than a minute";
}
