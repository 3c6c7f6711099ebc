/** The recorded figures that a run is compared with, in a checked-in file. */
import { isObject, parseJson } from "../support/json.ts";
import type { Growth } from "./judge-growth.ts";
import type { Series } from "./series.ts";

interface RecordedSeries {
  /** The figures are valid only for these sizes. */
  readonly sizes: readonly number[];
  /** By curve id. */
  readonly figures: ReadonlyMap<string, number>;
}

/** By series id. */
export type GrowthRecord = ReadonlyMap<string, RecordedSeries>;

const DIGITS = 3;

/** Malformed entries are ignored. */
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

/** The recorded figure for exactly these sizes. */
export function recordedFigure(record: GrowthRecord, series: Series, curve: string): number | undefined {
  const known = record.get(series.id);
  if (known === undefined || known.sizes.join() !== series.sizes.join()) return undefined;
  return known.figures.get(curve);
}

/** The record with the new figures of a series; figures that are not numbers are omitted. */
export function withSeries(record: GrowthRecord, series: Series, growths: readonly Growth[]): GrowthRecord {
  const found = growths.filter(({ figure }) => Number.isFinite(figure));
  const figures = new Map(found.map(({ curve, figure }) => [curve.id, Number(figure.toPrecision(DIGITS))]));
  return new Map([...record, [series.id, { sizes: series.sizes, figures }]]);
}

/** Formatted as the formatter does. */
export function recordText(record: GrowthRecord): string {
  const series = [...record].map(([id, { sizes, figures }]) => {
    const members = [...figures].map(([curve, figure]) => `${JSON.stringify(curve)}: ${figure}`);
    const lines = [`"sizes": [${sizes.join(", ")}],`, `"figures": { ${members.join(", ")} }`];
    return `  ${JSON.stringify(id)}: {\n${lines.map((line) => `    ${line}\n`).join("")}  }`;
  });
  return `{\n${series.join(",\n")}\n}\n`;
}
