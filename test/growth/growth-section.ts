/** The growth section of the performance page, and its plot files. */
import { markdownTable } from "../../src/base/markdown-table.ts";
import { drawPlot } from "./draw-plot.ts";
import { type Growth, noiseOf, showFigure } from "./judge-growth.ts";
import { type GrowthRecord, recordedFigure } from "./record.ts";
import type { Curve, Series } from "./series.ts";

/** The folder of the plots, relative to the page. */
export const PLOTS_FOLDER = "performance";

export function plotFile(series: Series, curve: Curve): string {
  return `growth-${series.id}-${curve.id}.svg`;
}

export function plotOf(series: Series, { curve, points, line, figure }: Growth, machine: string): string {
  return drawPlot({
    title: curve.title,
    notes: [`growth: ${growsBy(figure, curve, series)}`, machine],
    sizeTitle: series.sizeOf,
    valueTitle: curve.unit,
    points,
    line,
  });
}

/** Every recorded series, in the order of measurement. */
export function growthSection(all: readonly Series[], record: GrowthRecord): string {
  const parts = all.flatMap((series) => {
    const rows = series.curves.flatMap((curve) => {
      const figure = recordedFigure(record, series, curve.id);
      return figure === undefined ? [] : [{ curve, figure }];
    });
    if (rows.length === 0) return [];
    const [least, most] = [series.sizes[0], series.sizes.at(-1)].map((size) => size?.toLocaleString("en-US"));
    return [
      `### ${series.sizeOf.slice(0, 1).toUpperCase()}${series.sizeOf.slice(1)}`,
      markdownTable(
        [`${least} to ${most} ${series.sizeOf}`, "growth"],
        rows.map(({ curve, figure }) => [curve.title, growsBy(figure, curve, series)]),
      ),
      ...(series.reason === undefined ? [] : [series.reason]),
      rows.map(({ curve }) => `![${curve.title}](${PLOTS_FOLDER}/${plotFile(series, curve)})`).join("\n"),
    ];
  });
  return [HOW, ...parts, "This section is written by `npm run growth -- --write`."].join("\n\n");
}

function growsBy(figure: number, curve: Curve, { sizes }: Series): string {
  return figure <= noiseOf(curve, sizes) ? "none" : showFigure(figure, curve);
}

const HOW = `How the time and memory of operations grow with the size of their data, on Heddle alone. At each size several fresh processes
are measured, which visit the sizes upwards and downwards in turn. A time is the lower quartile of many operations, in the
process in which that is least, because other work of a machine only ever adds. A line is fitted to the points. The growth of a
time is the increase along the line from the smallest size to the largest, as a share of the time at the smallest; the growth of
memory (the server's objects and buffers after a collection) and of file descriptors is the increase for each further unit. A
growth within the noise is shown as none. \`npm run growth\` fails when a growth is 30 % worse than the one in
\`test/growth/record.json\`, or when the largest size takes 30 % more than the line says.`;
