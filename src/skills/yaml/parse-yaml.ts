/** Parses the YAML subset of the peer, which is smaller than that of the package: one document, and no merge keys. */
import {
  type Alias,
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Parser,
} from "yaml";
import { toYamlError } from "./yaml-fault.ts";
import { emptyScalar, formatPosition, type YamlEntry, YamlError, type YamlNode } from "./yaml-node.ts";

/** No skill is longer; a full YAML parser is slow per character. */
export const MAX_YAML_LENGTH = 32 * 1024;
/** The maximum nesting of lists and mappings. */
export const MAX_YAML_DEPTH = 100;
const FORBIDDEN = /[^\P{Cc}\t\n]/u;
const OPTIONS = { schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" } as const;

/** Parses a document; throws a YamlError with the message of the peer if it is invalid. */
export function parseYaml(source: string): YamlNode {
  if (source.length > MAX_YAML_LENGTH) {
    throw new YamlError(`the document is longer than ${MAX_YAML_LENGTH} characters`);
  }
  const text = source.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n");
  const control = text.search(FORBIDDEN);
  if (control !== -1) {
    const position = Buffer.byteLength(text.slice(0, control));
    throw new YamlError(`control characters are not allowed at position ${position}`);
  }
  const tokens = [...new Parser().parse(text)];
  assertShallow(tokens, text);
  const [document, ...others] = new Composer(OPTIONS).compose(tokens);
  if (document === undefined) return emptyScalar(text.length);
  const [error] = document.errors;
  if (error !== undefined) throw toYamlError(document.errors, document, text);
  if (others.length > 0) {
    throw new YamlError("deserializing from YAML containing more than one document is not supported");
  }
  return toNode(document, text);
}

/** The composer is recursive, so the depth is checked on the tokens first, iteratively. */
function assertShallow(tokens: readonly CST.Token[], text: string): void {
  let level: readonly CST.Token[] = tokens;
  for (let depth = 0; level.length > 0; depth++) {
    // The document itself does not count as a level.
    if (depth > MAX_YAML_DEPTH)
      throw new YamlError(`recursion limit exceeded${formatPosition(text, level[0]?.offset ?? 0)}`);
    level = level.flatMap(childrenOf);
  }
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!CST.isCollection(token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child != null));
}

function toNode(document: Document, text: string): YamlNode {
  const anchors = new Map<string, YamlNode>();

  function convert(node: unknown, after: number): YamlNode {
    if (isAlias(node)) return resolve(node);
    const at = (node as Node | null)?.range?.[0] ?? after;
    const converted = isMap(node)
      ? { kind: "map" as const, entries: node.items.map(toEntry), at }
      : isSeq(node)
        ? { kind: "list" as const, items: node.items.map((item) => convert(item, at)), at }
        : toScalar(node, at, text);
    // Registered after the conversion, so that no node can contain itself.
    const anchor = (node as { readonly anchor?: string } | null)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, converted);
    return converted;
  }
  function toEntry({ key, value }: Pair): YamlEntry {
    const converted = convert(key, 0);
    if (converted.kind === "scalar" && converted.plain && converted.text === "") {
      throw new YamlError(
        `mapping values are not allowed in this context${formatPosition(text, converted.at)}`,
      );
    }
    return { key: converted, value: convert(value, converted.at) };
  }
  /** All aliases of an anchor share one node. */
  function resolve({ source, range }: Alias): YamlNode {
    const node = anchors.get(source);
    if (node === undefined) throw new YamlError(`unknown anchor${formatPosition(text, range?.[0] ?? 0)}`);
    return node;
  }
  return convert(document.contents, text.length);
}

function toScalar(node: unknown, at: number, text: string): YamlNode {
  if (!isScalar(node)) return emptyScalar(at);
  const value = typeof node.value === "string" ? node.value : "";
  // Clients cannot parse lone surrogates.
  if (/\p{Surrogate}/u.test(value)) {
    const during = `while parsing a quoted scalar${formatPosition(text, at)}`;
    throw new YamlError(`found invalid Unicode character escape code${formatPosition(text, at)}, ${during}`);
  }
  return { kind: "scalar", text: value, plain: node.type === "PLAIN", at };
}
