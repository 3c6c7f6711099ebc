/**
 * Parses JSON and records the position of each value, so that errors for the model contain it, in the wording
 * that models know from other servers.
 */

export type Node = { readonly start: number; readonly end: number } & (
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly items: readonly Node[] }
  | { readonly kind: "map"; readonly members: readonly LocatedMember[] }
);

export interface LocatedMember {
  readonly name: string;
  readonly nameEnd: number;
  readonly value: Node;
}

export type LocatedJson =
  | { readonly kind: "json"; readonly node: Node }
  | { readonly kind: "wrong"; readonly message: string };

/** Nesting limit. */
const MAX_DEPTH = 128;

class Fault extends Error {}

export function parseLocated(text: string): LocatedJson {
  const reader = new Reader(text);
  try {
    return { kind: "json", node: reader.document() };
  } catch (error) {
    if (error instanceof Fault) return { kind: "wrong", message: error.message };
    throw error;
  }
}

/** ` at line 1 column 9`: the position after the last relevant character. */
export function positionAt(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return ` at line ${lines.length} column ${Buffer.byteLength(lines.at(-1) ?? "")}`;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** The characters of a string: anything printable, and escapes. */
const CHARACTERS = /(?:[^"\\\p{Cc}]+|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/uy;
const LITERALS = new Map<string, { readonly text: string; readonly value: boolean | null }>([
  ["t", { text: "true", value: true }],
  ["f", { text: "false", value: false }],
  ["n", { text: "null", value: null }],
]);

/** A single-pass parser. */
class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Node {
    const node = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("trailing characters", 1);
    return node;
  }

  #value(): Node {
    this.#skipSpace();
    const start = this.#at;
    const first = this.#text[start];
    if (first === undefined) return this.#fail("EOF while parsing a value");
    if (first === "{" || first === "[") return this.#nested(first);
    if (first === '"') return { kind: "scalar", value: this.#string(), start, end: this.#at };
    const word = LITERALS.get(first);
    const value = word === undefined ? this.#number() : this.#word(word.text, word.value);
    return { kind: "scalar", value, start, end: this.#at };
  }

  #nested(first: string): Node {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#fail("recursion limit exceeded", 1);
    const node = first === "{" ? this.#map() : this.#list();
    this.#depth -= 1;
    return node;
  }

  #list(): Node {
    const start = this.#at;
    const items: Node[] = [];
    this.#at += 1;
    for (let next = this.#peek("a list"); next !== "]"; next = this.#separator("a list", "]")) {
      items.push(this.#value());
    }
    this.#at += 1;
    return { kind: "list", items, start, end: this.#at };
  }

  #map(): Node {
    const start = this.#at;
    const members: LocatedMember[] = [];
    this.#at += 1;
    for (let next = this.#peek("an object"); next !== "}"; next = this.#separator("an object", "}")) {
      if (next !== '"') this.#fail("key must be a string", 1);
      const name = this.#string();
      const nameEnd = this.#at;
      if (this.#peek("an object") !== ":") this.#fail("expected `:`", 1);
      this.#at += 1;
      members.push({ name, nameEnd, value: this.#value() });
    }
    this.#at += 1;
    return { kind: "map", members, start, end: this.#at };
  }

  /** The character after a comma, or the closing one. */
  #separator(what: string, close: string): string {
    const next = this.#peek(what);
    if (next === close) return next;
    if (next !== ",") this.#fail(`expected \`,\` or \`${close}\``, 1);
    this.#at += 1;
    const after = this.#peek(what);
    return after === close ? this.#fail("trailing comma", 1) : after;
  }

  #peek(what: string): string {
    this.#skipSpace();
    return this.#text[this.#at] ?? this.#fail(`EOF while parsing ${what}`);
  }

  #string(): string {
    const start = this.#at;
    CHARACTERS.lastIndex = start + 1;
    this.#at += 1 + (CHARACTERS.exec(this.#text)?.[0].length ?? 0);
    const next = this.#text[this.#at];
    if (next === undefined) return this.#fail("EOF while parsing a string");
    if (next === "\\") return this.#fail("invalid escape", 2);
    if (next !== '"')
      return this.#fail("control character (\\u0000-\\u001F) found while parsing a string", 1);
    this.#at += 1;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const [token] = NUMBER.exec(this.#text) ?? [];
    if (token === undefined) {
      return this.#text[this.#at] === "-" ? this.#fail("invalid number", 2) : this.#fail("expected value", 1);
    }
    this.#at += token.length;
    const value = Number(token);
    return Number.isFinite(value) ? value : this.#fail("number out of range");
  }

  #word(word: string, value: boolean | null): boolean | null {
    for (let index = 0; index < word.length; index += 1, this.#at += 1) {
      const given = this.#text[this.#at];
      if (given === undefined) return this.#fail("EOF while parsing a value");
      if (given !== word[index]) return this.#fail("expected ident", 1);
    }
    return value;
  }

  #skipSpace(): void {
    while (" \n\t\r".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #fail(message: string, ahead = 0): never {
    const offset = Math.min(this.#text.length, this.#at + ahead);
    throw new Fault(message + positionAt(this.#text, offset));
  }
}
