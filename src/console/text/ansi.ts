/**
 * Output of commands as runs of styled text. Only colours and weights are read (SGR); links, titles, cursor movements and
 * every other sequence are dropped, because a page has no terminal that they could apply to.
 */
export interface StyledText {
  readonly text: string;
  /** Class names of the style sheet, separated by spaces. */
  readonly style: string;
}

interface Pen {
  fore: string;
  back: string;
  isBold: boolean;
  isDim: boolean;
  isInverse: boolean;
}

const COLOURS = ["k", "r", "g", "y", "b", "m", "c", "w"];
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- terminal sequences are made of control characters
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/gu;
// oxlint-disable-next-line no-control-regex -- controls without a meaning in a page
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/gu;

export function parseAnsi(text: string): readonly StyledText[] {
  const parts: StyledText[] = [];
  const pen: Pen = { ...PLAIN };
  let from = 0;
  const add = (until: number): void => {
    const plain = overwriteLines(text.slice(from, until)).replace(CONTROLS, "");
    if (plain !== "") parts.push({ text: plain, style: styleOf(pen) });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === "m") applyCodes(pen, match[1] ?? "");
  }
  add(text.length);
  return parts;
}

/** A carriage return starts the line again, as progress bars do: of each line the last version is kept. */
function overwriteLines(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.slice(line.replace(/\r+$/u, "").lastIndexOf("\r") + 1).replace(/\r+$/u, ""))
    .join("\n");
}

function applyCodes(pen: Pen, codes: string): void {
  const numbers = codes.split(/[;:]/u).map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      // Colours of 256 or more are drawn in the colour of the text; their parameters are skipped.
      at += numbers[at + 1] === 2 ? 4 : 2;
      continue;
    }
    applyCode(pen, code);
  }
}

const PLAIN: Pen = { fore: "", back: "", isBold: false, isDim: false, isInverse: false };
/** The changes by codes that are not colours. */
const CHANGES: Readonly<Record<number, Partial<Pen>>> = {
  0: PLAIN,
  1: { isBold: true },
  2: { isDim: true },
  7: { isInverse: true },
  22: { isBold: false, isDim: false },
  27: { isInverse: false },
  39: { fore: "" },
  49: { back: "" },
};
/** The first code of each range of eight colours. */
const RANGES: readonly (readonly [number, "fore" | "back"])[] = [
  [30, "fore"],
  [90, "fore"],
  [40, "back"],
  [100, "back"],
];

function applyCode(pen: Pen, code: number): void {
  Object.assign(pen, CHANGES[code]);
  for (const [first, member] of RANGES)
    if (code >= first && code < first + COLOURS.length) pen[member] = COLOURS[code - first] ?? "";
}

function styleOf({ fore, back, isBold, isDim, isInverse }: Pen): string {
  const [front, behind] = isInverse ? [back, fore === "" ? "w" : fore] : [fore, back];
  const names = [
    ...(behind === "" ? [] : [`a-on-${behind}`]),
    ...(front === "" || behind !== "" ? [] : [`a-${front}`]),
    ...(isBold ? ["a-bold"] : []),
    ...(isDim ? ["a-dim"] : []),
  ];
  return names.join(" ");
}
