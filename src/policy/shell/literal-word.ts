import type { Node } from "web-tree-sitter";

/**
 * Characters that a shell may replace by something else: expansions, globs, escapes, home folders, and zsh's own
 * patterns.
 */
const CHANGEABLE = /[{}*?[\]\\~^#$`]/;
/** What a backslash still does within double quotes. */
const ESCAPED_IN_QUOTES = /\\[$`"\\\n]/;

/** The word that a program will get, when the script's text says it for certain; otherwise null. */
export function literalWord(node: Node): string | null {
  switch (node.type) {
    case "word":
    case "number":
      return literalText(node);
    case "string":
      return doubleQuoted(node);
    case "raw_string":
      return unquoted(node.text, "'");
    case "concatenation":
      return joined(node);
    default:
      return null;
  }
}

function literalText(node: Node): string | null {
  if (node.namedChildCount > 0 || node.text.startsWith("=") || CHANGEABLE.test(node.text)) return null;
  return node.text;
}

function doubleQuoted(node: Node): string | null {
  if (node.namedChildren.some((part) => part.type !== "string_content")) return null;
  const text = unquoted(node.text, '"');
  return text === null || ESCAPED_IN_QUOTES.test(text) ? null : text;
}

function unquoted(text: string, quote: string): string | null {
  return text.length >= 2 && text.startsWith(quote) && text.endsWith(quote) ? text.slice(1, -1) : null;
}

function joined(node: Node): string | null {
  let whole = "";
  let end = node.startIndex;
  for (const part of node.children) {
    const text = literalWord(part);
    if (text === null || part.startIndex !== end) return null;
    whole += text;
    end = part.endIndex;
  }
  return whole === "" ? null : whole;
}
