/** The figures that a run is held against, in a file that is checked in. */
import { isObject, parseJson } from "../support/json.ts";
import type { Growth } from "./judge-growth.ts";
import type { Series } from "./series.ts";

interface RecordedSeries {
  /** A figure is about these sizes and says nothing of others. */
  readonly sizes: readonly number[];
  /** By the ids of curves. */
  readonly figures: ReadonlyMap<string, number>;
}

/** By the ids of series. */
export type GrowthRecord = ReadonlyMap<string, RecordedSeries>;

const DIGITS = 3;

/** What is not as it should be is not on record. */
export function parseRecord(text: string): GrowthRecord {
  const value = parseJson(text);
  const entries = isObject(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([id, series]) => {
      if (!isObject(series)) return [];
      const { sizes, figures } = series;
      if (!Array.isArray(sizes) || !sizes.every(isNumber) || !isObject(figures)) return [];
      const known = Object.entries(figures).filter((entry): entry is [string, number] => isNumber(entry[1]));
      return [[id, { sizes, figures: new Map(known) }] as const];
    }),
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** The figure on record for these very sizes. */
export function recordedFigure(record: GrowthRecord, series: Series, curve: string): number | undefined {
  const known = record.get(series.id);
  if (known === undefined || known.sizes.join() !== series.sizes.join()) return undefined;
  return known.figures.get(curve);
}

/** The record with what was measured of a series, as far as it is a number, in the place of what was known of it. */
export function withSeries(record: GrowthRecord, series: Series, growths: readonly Growth[]): GrowthRecord {
  const found = growths.filter(({ figure }) => Number.isFinite(figure));
  const figures = new Map(found.map(({ curve, figure }) => [curve.id, Number(figure.toPrecision(DIGITS))]));
  return new Map([...record, [series.id, { sizes: series.sizes, figures }]]);
}

/** In the layout that the formatter keeps. */
export function recordText(record: GrowthRecord): string {
  const series = [...record].map(([id, { sizes, figures }]) => {
    const members = [...figures].map(([curve, figure]) => `${JSON.stringify(curve)}: ${figure}`);
    const lines = [`"sizes": [${sizes.join(", ")}],`, `"figures": { ${members.join(", ")} }`];
    return `  ${JSON.stringify(id)}: {\n${lines.map((line) => `    ${line}\n`).join("")}  }`;
  });
  return `{\n${series.join(",\n")}\n}\n`;
}
