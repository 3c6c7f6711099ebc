import { rm } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { drawPlot, type Plot } from "../growth/draw-plot.ts";
import { fitLine, type Point } from "../growth/fit-line.ts";
import { growthOf } from "../growth/judge-growth.ts";
import { measureSeries } from "../growth/measure-series.ts";
import { SERIES } from "../growth/series.ts";
import { Child } from "../support/child.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { testWith } from "../support/needs-program.ts";
import { HEDDLE } from "../support/start-server.ts";

/** Series without waits. */
const QUICK = SERIES.filter(({ id }) => id === "turns" || id === "queue");

test.each(QUICK)(
  "growth with $sizeOf can be measured",
  async (series) => {
    const homes = await makeHomesFolder();
    onTestFinished(() => rm(homes, { recursive: true, force: true }));
    const points = await measureSeries({ ...series, sizes: [1, 3] }, { program: HEDDLE, homes }, 1);
    for (const curve of series.curves) {
      const growth = growthOf(curve, points[curve.id] ?? []);
      expect(growth.points.map(({ size, value }) => [size, value > 0])).toEqual([
        [1, true],
        [3, true],
      ]);
      expect(Number.isFinite(growth.figure)).toBe(true);
    }
  },
  60_000,
);

/** Parses the plots with a general XML parser: the elements of each, or the error. */
const PARSE = `
import json, sys
from xml.etree import ElementTree
def read(text):
    try:
        return [[e.tag.split("}")[-1], e.attrib, e.text] for e in ElementTree.fromstring(text).iter()]
    except ElementTree.ParseError as error:
        return str(error)
json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
`;

type Element = readonly [tag: string, attributes: Readonly<Record<string, string>>, text: string | null];

async function parseAll(texts: readonly string[]): Promise<(Element[] | string)[]> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
  const child = new Child({ command: "python3", args: ["-c", PARSE], cwd: process.cwd(), env });
  child.write(JSON.stringify(texts));
  child.endInput();
  await child.exit;
  if (child.stdout === "") throw new Error(child.stderr);
  return JSON.parse(child.stdout) as (Element[] | string)[];
}

const plotOf = (points: readonly Point[], words: Partial<Plot> = {}): Plot => ({
  title: "A turn",
  notes: ["a little", "on this machine"],
  sizeTitle: "turns",
  valueTitle: "ms",
  points,
  line: fitLine(points),
  ...words,
});
const at = (...pairs: readonly [size: number, value: number][]) =>
  pairs.map(([size, value]) => ({ size, value }));
const MARKUP = `</title><script a="1">'&amp;\u0000\u{1F9F5}\uD800]]>`;
const PLOTS: Readonly<Record<string, Plot>> = {
  usual: plotOf(at([50, 3], [100, 3.5], [3200, 30])),
  "without points": plotOf([]),
  "with one point": plotOf(at([5, 5])),
  "of zeros": plotOf(at([0, 0], [0, 0])),
  "of equal values": plotOf(at([1, 7], [2, 7], [4, 7])),
  "of huge values": plotOf(at([1, 1e15], [2, 9e15])),
  "of small values": plotOf(at([1, 1e-8], [2, 2e-8])),
  "of tiny values": plotOf(at([1, 1e-300], [2, 2e-300])),
  "of a falling line": plotOf(at([1, 9], [2, 1], [3, 1], [4, 0])),
  "of values below zero": plotOf(at([1, -5], [2, 3])),
  "of what is no number": plotOf(at([1, Number.NaN], [2, Number.POSITIVE_INFINITY], [3, 2])),
  "with markup": plotOf(at([1, 1]), {
    title: MARKUP,
    notes: [MARKUP, MARKUP],
    sizeTitle: MARKUP,
    valueTitle: MARKUP,
  }),
};

type Place = readonly [x: number, y: number];

function placesOf([tag, { class: kind, cx, cy, x1, y1, x2, y2 }]: Element): Place[] {
  if (tag === "circle") return [[Number(cx), Number(cy)]];
  if (kind !== "fit") return [];
  return [
    [Number(x1), Number(y1)],
    [Number(x2), Number(y2)],
  ];
}

/** The points and line segments outside of the axes. */
function outsideOf(elements: readonly Element[]): Place[] {
  const [level, upright] = elements.filter(([, { class: kind }]) => kind === "axis");
  const [left, right] = [level?.[1]["x1"], level?.[1]["x2"]].map(Number) as [number, number];
  const [top, bottom] = [upright?.[1]["y1"], upright?.[1]["y2"]].map(Number) as [number, number];
  return elements.flatMap(placesOf).filter(([x, y]) => !(x >= left && x <= right && y >= top && y <= bottom));
}

describe("a plot", () => {
  testWith("python3", "is XML, and has its points and its line within the frame", async () => {
    const parsed = await parseAll(Object.values(PLOTS).map(drawPlot));
    const found = Object.keys(PLOTS).map((name, index) => {
      const elements = parsed[index]!;
      if (typeof elements === "string") return { name, error: elements };
      const count = (wanted: string) => elements.filter(([tag]) => tag === wanted).length;
      return { name, outside: outsideOf(elements), points: count("circle"), hasTicks: count("text") > 8 };
    });
    expect(found).toEqual(
      Object.entries(PLOTS).map(([name, { points }]) => ({
        name,
        outside: [],
        points: points.filter(({ value }) => Number.isFinite(value)).length,
        hasTicks: true,
      })),
    );
  });

  testWith("python3", "shows words as they are, and what is markup in them as words", async () => {
    const elements = (await parseAll([drawPlot(PLOTS["with markup"]!)])).flat() as Element[];
    const shown = `</title><script a="1">'&amp;\u{1F9F5}]]>`;
    expect(elements.filter(([, , text]) => text === shown).length).toBe(5);
    expect(elements.some(([tag]) => tag === "script")).toBe(false);
  });
});
