/** Converts parse errors to the messages of the peer's YAML library, because clients display them to users. */
import { type Document, isCollection, isMap, isScalar, type Node, visit, type YAMLParseError } from "yaml";
import { formatPosition, YamlError } from "./yaml-node.ts";

interface Fault {
  readonly what: string;
  readonly at: number;
  /** The construct that was being parsed, and its start. */
  readonly during?: string;
  readonly from?: number;
}

/** An error of the package, with the context that the conversion needs. */
interface ParseErrorContext {
  readonly error: YAMLParseError;
  /** The following error. */
  readonly next: YAMLParseError | undefined;
  readonly document: Document;
  readonly text: string;
  readonly at: number;
}

type Rule = readonly [
  code: YAMLParseError["code"],
  message: RegExp,
  toFault: (found: ParseErrorContext) => Fault,
];

const ANY = /^/;

/** The first match applies. */
const RULES: readonly Rule[] = [
  ["BLOCK_AS_IMPLICIT_KEY", ANY, (found) => noValue(colonAfter(found))],
  ["MULTILINE_IMPLICIT_KEY", ANY, (found) => brokenKey(found)],
  ["TAB_AS_INDENT", ANY, ({ at }) => noToken(at)],
  ["BAD_SCALAR_START", /[@`%]$/, ({ at }) => noToken(at)],
  ["BAD_SCALAR_START", ANY, ({ at }) => noContent(at, "block")],
  ["BAD_DQ_ESCAPE", ANY, (found) => inScalar(found, "found unknown escape character", "parsing")],
  ["BAD_INDENT", /^Flow/, (found) => unclosed(found)],
  ["BAD_INDENT", ANY, (found) => noKey(found, skipSpaces(found.text, found.at))],
  ["MISSING_CHAR", /quote$/, (found) => inScalar(found, "found unexpected end of stream", "scanning")],
  ["MISSING_CHAR", /^Implicit map keys/, ({ text, at }) => noColon(text, at)],
  ["MISSING_CHAR", /^Flow/, (found) => unclosed(found)],
  [
    "UNEXPECTED_TOKEN",
    /^Unexpected block-seq-ind/,
    ({ at }) => ({ what: "block sequence entries are not allowed in this context", at }),
  ],
  [
    "UNEXPECTED_TOKEN",
    /^Block scalar header/,
    ({ at }) => ({
      what: "did not find expected comment or line break",
      at,
      during: "scanning a block scalar",
      from: at - 1,
    }),
  ],
  ["UNEXPECTED_TOKEN", /"[\]},]"$/, ({ at }) => noContent(at, "block")],
  ["UNEXPECTED_TOKEN", /at node end$/, (found) => noKey(found, found.at)],
];

export function toYamlError(errors: readonly YAMLParseError[], document: Document, text: string): YamlError {
  const [error, next] = errors;
  if (error === undefined) return new YamlError("invalid document");
  const rule = RULES.find(([code, message]) => code === error.code && message.test(error.message));
  const found = { error, next, document, text, at: error.pos[0] };
  const { what, at, during, from = 0 } = rule?.[2](found) ?? fallbackFault(error);
  const context = during === undefined ? "" : `, while ${during}${formatPosition(text, from)}`;
  return new YamlError(`${what}${formatPosition(text, at)}${context}`);
}

/** A key ends at the unexpected colon; for a multi-line key the package reports its end as a separate error. */
function colonAfter({ error, next, at }: ParseErrorContext): number {
  return next?.code === "MULTILINE_IMPLICIT_KEY" && next.pos[0] === at ? next.pos[1] : error.pos[1];
}

function brokenKey(found: ParseErrorContext): Fault {
  const { error, text, at } = found;
  const first = text[at];
  if (first === "'" || first === '"') return noValue(error.pos[1]);
  return first === "-" ? noKey(found, at) : noColon(text, at);
}

function noKey({ document, text, at }: ParseErrorContext, place: number): Fault {
  // The innermost mapping that is not indented deeper than the unexpected token.
  const isOuter = (node: unknown, from: number) =>
    isMap(node) && columnOf(text, from) <= columnOf(text, place);
  const from = startOf(document, at, isOuter);
  return { what: "did not find expected key", at: place, during: "parsing a block mapping", from };
}

function inScalar({ document, at }: ParseErrorContext, what: string, doing: string): Fault {
  return { what, at, during: `${doing} a quoted scalar`, from: startOf(document, at, isScalar) };
}

function noValue(at: number): Fault {
  return { what: "mapping values are not allowed in this context", at };
}

function noToken(at: number): Fault {
  return { what: "found character that cannot start any token", at, during: "scanning for the next token" };
}

function noContent(at: number, style: "block" | "flow"): Fault {
  return { what: "did not find expected node content", at, during: `parsing a ${style} node` };
}

/** A key ends at the end of its line. */
function noColon(text: string, from: number): Fault {
  const end = text.indexOf("\n", from);
  const at = end === -1 ? text.length : skipSpaces(text, end + 1);
  return { what: "could not find expected ':'", at, during: "scanning a simple key", from };
}

function unclosed({ document, text, at }: ParseErrorContext): Fault {
  const from = startOf(document, at, isCollection);
  const before = text.slice(from, at).trimEnd();
  if (/[[{,]$/.test(before)) return noContent(at, "flow");
  const isList = text[from] === "[";
  const what = `did not find expected ',' or '${isList ? "]" : "}"}'`;
  return { what, at, during: `parsing a flow ${isList ? "sequence" : "mapping"}`, from };
}

/** The package's own message, for rare errors. */
function fallbackFault({ message, pos }: YAMLParseError): Fault {
  return { what: `${message.charAt(0).toLowerCase()}${message.slice(1)}`, at: pos[0] };
}

/** The start of the innermost matching node that contains an offset. */
function startOf(document: Document, at: number, isKind: (node: unknown, from: number) => boolean): number {
  let start = 0;
  visit(document, {
    Node(_, node: Node) {
      const [from = 0, , to = 0] = node.range ?? [];
      if (from > at || to < at) return visit.SKIP;
      if (isKind(node, from)) start = from;
      return undefined;
    },
  });
  return start;
}

function columnOf(text: string, at: number): number {
  return at === 0 ? 0 : at - text.lastIndexOf("\n", at - 1) - 1;
}

function skipSpaces(text: string, at: number): number {
  let place = at;
  while (text[place] === " ") place++;
  return place;
}
