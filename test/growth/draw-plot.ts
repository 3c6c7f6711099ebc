/** A plot of values against sizes as an SVG: axes, points and the line through them. */
import { type Line, type Point, valueAt } from "./fit-line.ts";

export interface Plot {
  readonly title: string;
  /** Lines below the title. */
  readonly notes: readonly string[];
  readonly sizeTitle: string;
  readonly valueTitle: string;
  readonly points: readonly Point[];
  readonly line: Line;
}

const WIDTH = 480;
const HEIGHT = 320;
const FRAME = { left: 64, right: WIDTH - 20, top: 72, bottom: HEIGHT - 48 };
const LINE_HEIGHT = 16;
const FIRST_LINE = 22;
/** The approximate number of ticks that fit. */
const TICKS = 5;

/** It has its own background, so that its colours fit any page. */
const STYLE = `
  .ground { fill: #ffffff } .grid { stroke: #e2e5e9 } .axis { stroke: #8b949e }
  text { fill: #1f2328; font: 11px system-ui, sans-serif } .title { font-size: 14px; font-weight: 600 }
  .quiet { fill: #59636e } .fit { stroke: #d1660f; stroke-width: 2 } .point { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .grid { stroke: #262c34 } .axis { stroke: #6e7681 }
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .fit { stroke: #f0883e } .point { fill: #58a6ff }
  }
`;

export function drawPlot({ title, notes, sizeTitle, valueTitle, line, ...rest }: Plot): string {
  const points = rest.points.filter(({ size, value }) => Number.isFinite(size) && Number.isFinite(value));
  const sizes = axis(Math.max(0, ...points.map(({ size }) => size)));
  const values = axis(Math.max(0, ...points.map(({ value }) => value)));
  const x = (size: number) => FRAME.left + (size / sizes.end) * (FRAME.right - FRAME.left);
  const y = (value: number) => FRAME.bottom - (value / values.end) * (FRAME.bottom - FRAME.top);
  const middle = (FRAME.top + FRAME.bottom) / 2;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    element("title", {}, [title, ...notes].join("; ")),
    `<style>${STYLE}</style>`,
    element("rect", { class: "ground", width: WIDTH, height: HEIGHT, rx: 6 }),
    element("text", { class: "title", x: FRAME.left, y: FIRST_LINE }, title),
    ...notes.map((note, index) =>
      element("text", { class: "quiet", x: FRAME.left, y: FIRST_LINE + LINE_HEIGHT * (index + 1) }, note),
    ),
    ...values.ticks.flatMap((tick) => [
      segment("grid", [FRAME.left, y(tick)], [FRAME.right, y(tick)]),
      element(
        "text",
        { class: "quiet", x: FRAME.left - 6, y: y(tick) + 4, "text-anchor": "end" },
        show(tick, values.step),
      ),
    ]),
    ...sizes.ticks.map((tick) =>
      element(
        "text",
        { class: "quiet", x: x(tick), y: FRAME.bottom + 16, "text-anchor": "middle" },
        show(tick, sizes.step),
      ),
    ),
    segment("axis", [FRAME.left, FRAME.bottom], [FRAME.right, FRAME.bottom]),
    segment("axis", [FRAME.left, FRAME.top], [FRAME.left, FRAME.bottom]),
    element(
      "text",
      { x: (FRAME.left + FRAME.right) / 2, y: HEIGHT - 12, "text-anchor": "middle" },
      sizeTitle,
    ),
    element(
      "text",
      { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` },
      valueTitle,
    ),
    ...visiblePart(line, points, values.end).map(([from, to]) =>
      segment("fit", [x(from), y(valueAt(line, from))], [x(to), y(valueAt(line, to))]),
    ),
    ...points.map(({ size, value }) =>
      element("circle", { class: "point", cx: x(size), cy: y(Math.max(0, value)), r: 3.5 }),
    ),
    "</svg>",
  ].join("\n")}\n`;
}

interface Axis {
  readonly end: number;
  readonly step: number;
  readonly ticks: readonly number[];
}

/** Smaller values count as zero. */
const LEAST = 1e-9;

/** From 0 to the next multiple of a step of 1, 2 or 5 times a power of ten. */
function axis(most: number): Axis {
  if (!(most > LEAST)) return { end: 1, step: 1, ticks: [0, 1] };
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((times) => times * power >= rough) ?? 10);
  const count = Math.ceil(most / step - 1e-9);
  return { end: count * step, step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

/** The range of measured sizes in which the line is inside the frame; empty if it never is. */
function visiblePart(line: Line, points: readonly Point[], mostValue: number): [number, number][] {
  const sizes = points.map(({ size }) => size);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const { base, slope } = line;
  if (slope === 0) return least < most && base >= 0 && base <= mostValue ? [[least, most]] : [];
  const [enters, leaves] = [-base / slope, (mostValue - base) / slope].sort((one, other) => one - other);
  const [from, to] = [Math.max(least, enters ?? 0), Math.min(most, leaves ?? 0)];
  return from < to ? [[from, to]] : [];
}

type Place = readonly [x: number, y: number];

function segment(kind: string, [x1, y1]: Place, [x2, y2]: Place): string {
  return element("line", { class: kind, x1, y1, x2, y2 });
}

type Attributes = Readonly<Record<string, string | number>>;

function element(name: string, attributes: Attributes, text?: string): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? short(value) : escapeXml(value)}"`)
    .join("");
  return text === undefined ? `<${name}${written}/>` : `<${name}${written}>${escapeXml(text)}</${name}>`;
}

/** Rounds to a tenth of a pixel. */
function short(value: number): string {
  return String(Number(value.toFixed(1)));
}

function show(tick: number, step: number): string {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return tick.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Removes characters that XML cannot represent, such as lone surrogates. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[&<>"]/g, (found) => ENTITIES[found] ?? "");
}
