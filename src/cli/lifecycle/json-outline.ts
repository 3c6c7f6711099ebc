/**
 * Parses a JSON text with the positions of its values, so that one can be changed while the rest stays byte for byte.
 * Comments and trailing commas, which some harnesses allow, are skipped.
 */
export type JsonNode =
  | {
      readonly kind: "object";
      readonly start: number;
      readonly end: number;
      readonly members: readonly JsonMember[];
    }
  | {
      readonly kind: "array";
      readonly start: number;
      readonly end: number;
      readonly elements: readonly JsonNode[];
    }
  | { readonly kind: "scalar"; readonly start: number; readonly end: number; readonly value: unknown };

export interface JsonMember {
  readonly key: string;
  /** The position of the key. */
  readonly start: number;
  readonly value: JsonNode;
}

/** Deeper than any settings file. */
const MAX_DEPTH = 64;

/** Returns the outline, or a message for a text that is not JSON. */
export function outlineJson(text: string): JsonNode | string {
  const scanner = createScanner(text);
  try {
    const root = readValue(scanner, 0);
    scanner.skip();
    return scanner.at < text.length ? fault(scanner, "there is text after its value") : root;
  } catch (error) {
    if (error instanceof JsonFault) return error.message;
    throw error;
  }
}

/** The value of a node, without its comments. */
export function valueOf(node: JsonNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "array") return node.elements.map(valueOf);
  const entries = node.members.map(({ key, value }) => [key, valueOf(value)] as const);
  return Object.fromEntries(entries);
}

/** The last member of that name counts, as for every JSON parser. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === "object" ? node.members.findLast((member) => member.key === key)?.value : undefined;
}

class JsonFault extends Error {}

interface Scanner {
  readonly text: string;
  at: number;
  /** Skips white space and comments. */
  skip(): void;
  /** Consumes a match at the current position; null where there is none. */
  take(expression: RegExp): string | null;
}

const BLANKS = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;
/** Ends on its line; characters that JSON forbids are rejected when it is parsed. */
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const WORD = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function createScanner(text: string): Scanner {
  const scanner: Scanner = {
    text,
    at: text.startsWith("\uFEFF") ? 1 : 0,
    skip: () => void scanner.take(BLANKS),
    take(expression) {
      expression.lastIndex = scanner.at;
      const found = expression.exec(text)?.[0] ?? null;
      scanner.at += found?.length ?? 0;
      return found;
    },
  };
  return scanner;
}

function readValue(scanner: Scanner, depth: number): JsonNode {
  scanner.skip();
  const start = scanner.at;
  const next = scanner.text[start];
  if (depth > MAX_DEPTH)
    throw new JsonFault(fault(scanner, `it is nested more than ${MAX_DEPTH} levels deep`));
  if (next === "{")
    return { kind: "object", start, ...readList(scanner, "}", () => readMember(scanner, depth)) };
  if (next === "[") {
    const { members, end } = readList(scanner, "]", () => readValue(scanner, depth + 1));
    return { kind: "array", start, end, elements: members };
  }
  const written = scanner.take(STRING) ?? scanner.take(WORD);
  if (written === null) throw new JsonFault(fault(scanner, "a value is missing"));
  return { kind: "scalar", start, end: scanner.at, value: parse(written, scanner) };
}

function readMember(scanner: Scanner, depth: number): JsonMember {
  const start = scanner.at;
  const key = scanner.take(STRING);
  if (key === null) throw new JsonFault(fault(scanner, "a key in quotes is missing"));
  scanner.skip();
  if (scanner.take(/:/y) === null) throw new JsonFault(fault(scanner, "a colon is missing"));
  return { key: String(parse(key, scanner)), start, value: readValue(scanner, depth + 1) };
}

/** Reads from the opening bracket to the closing one. */
function readList<T>(
  scanner: Scanner,
  closing: string,
  readOne: () => T,
): { readonly members: readonly T[]; readonly end: number } {
  const members: T[] = [];
  scanner.at += 1;
  for (;;) {
    scanner.skip();
    if (scanner.text[scanner.at] === closing) {
      scanner.at += 1;
      return { members, end: scanner.at };
    }
    members.push(readOne());
    scanner.skip();
    if (scanner.text[scanner.at] === ",") scanner.at += 1;
    else if (scanner.text[scanner.at] !== closing)
      throw new JsonFault(fault(scanner, `a comma or ${closing} is missing`));
  }
}

/** Parses a scalar; an invalid escape is a fault. */
function parse(written: string, scanner: Scanner): unknown {
  try {
    return JSON.parse(written);
  } catch {
    throw new JsonFault(
      fault(scanner, "a string contains a character or an escape that JSON does not allow"),
    );
  }
}

function fault({ text, at }: Scanner, reason: string): string {
  const line = text.slice(0, at).split("\n").length;
  return `line ${line}: ${reason}`;
}
