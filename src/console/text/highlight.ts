/** Colours of code: the tokens of Prism as pieces of text. */
import Prism from "prismjs/components/prism-core.js";
import "prismjs/components/prism-markup.js";
import "prismjs/components/prism-css.js";
import "prismjs/components/prism-clike.js";
import "prismjs/components/prism-javascript.js";
import "prismjs/components/prism-typescript.js";
import "prismjs/components/prism-python.js";
import "prismjs/components/prism-bash.js";
import "prismjs/components/prism-json.js";
import "prismjs/components/prism-yaml.js";
import "prismjs/components/prism-c.js";
import "prismjs/components/prism-cpp.js";
import "prismjs/components/prism-go.js";
import "prismjs/components/prism-java.js";
import "prismjs/components/prism-rust.js";
import "prismjs/components/prism-sql.js";

export interface CodePiece {
  readonly text: string;
  /** A class of the style sheet, or nothing. */
  readonly style: string;
}

interface Token {
  readonly type: string;
  readonly content: string | Token | readonly (string | Token)[];
}

/** Names in fences that are others of a language. */
const ALIASES: Readonly<Record<string, string>> = {
  ts: "typescript",
  tsx: "typescript",
  js: "javascript",
  jsx: "javascript",
  py: "python",
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  yml: "yaml",
  html: "markup",
  xml: "markup",
  rs: "rust",
  golang: "go",
};

const STYLES: Readonly<Record<string, string>> = {
  keyword: "k",
  boolean: "nu",
  number: "nu",
  string: "s",
  "template-string": "s",
  "attr-value": "s",
  char: "s",
  regex: "s",
  comment: "c",
  prolog: "c",
  function: "fn",
  "function-variable": "fn",
  "class-name": "fn",
  tag: "k",
  "attr-name": "fn",
  property: "fn",
  builtin: "fn",
  selector: "fn",
  atrule: "k",
};

/** Null for a language that has no grammar here, and where the grammar fails. */
export function highlight(text: string, language: string): readonly CodePiece[] | null {
  const name = language.toLowerCase().split(/[\s,{]/u, 1)[0] ?? "";
  const grammar: unknown = Prism.languages[ALIASES[name] ?? name];
  if (typeof grammar !== "object" || grammar === null) return null;
  try {
    const pieces: CodePiece[] = [];
    flatten(Prism.tokenize(text, grammar) as readonly (string | Token)[], "", pieces);
    return pieces;
  } catch {
    return null;
  }
}

function flatten(tokens: readonly (string | Token)[], style: string, pieces: CodePiece[]): void {
  for (const token of tokens) {
    if (typeof token === "string") {
      pieces.push({ text: token, style });
      continue;
    }
    const own = STYLES[token.type] ?? style;
    const { content } = token;
    flatten(
      Array.isArray(content) ? (content as readonly (string | Token)[]) : [content as string | Token],
      own,
      pieces,
    );
  }
}
