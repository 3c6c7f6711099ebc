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
// oxlint-disable-next-line no-control-regex -- terminal sequences are made of control characters
const SEQUENCE =
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/gu;
// oxlint-disable-next-line no-control-regex -- controls without a meaning in a page
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/gu;

export function parseAnsi(text: string): readonly StyledText[] {
  const parts: StyledText[] = [];
  const pen: Pen = { fore: "", back: "", isBold: false, isDim: false, isInverse: false };
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

function applyCode(pen: Pen, code: number): void {
  if (code === 0) Object.assign(pen, { fore: "", back: "", isBold: false, isDim: false, isInverse: false });
  else if (code === 1) pen.isBold = true;
  else if (code === 2) pen.isDim = true;
  else if (code === 22) pen.isBold = pen.isDim = false;
  else if (code === 7) pen.isInverse = true;
  else if (code === 27) pen.isInverse = false;
  else if (code === 39) pen.fore = "";
  else if (code === 49) pen.back = "";
  else if (code >= 30 && code <= 37) pen.fore = COLOURS[code - 30] ?? "";
  else if (code >= 90 && code <= 97) pen.fore = COLOURS[code - 90] ?? "";
  else if (code >= 40 && code <= 47) pen.back = COLOURS[code - 40] ?? "";
  else if (code >= 100 && code <= 107) pen.back = COLOURS[code - 100] ?? "";
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
