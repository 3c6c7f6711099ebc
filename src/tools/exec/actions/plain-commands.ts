/**
 * Parses a script of plain commands: literal words, joined by `&&`, `||`, `;`, `|` and newlines. Any
 * expansion, redirection or branch rejects the whole script, on purpose: the result is exactly what will run.
 */

const OPERATORS = ["&&", "||", "|", ";"];
const REFUSED = /[{}*?[\]\\~^#$`<>()&]/;
/** Reserved words, which do not start a plain command. */
const RESERVED = new Set(
  "if then else elif fi for while until do done case esac select function ! [[ declare typeset export readonly local unset".split(
    " ",
  ),
);

/** The commands of a script in order; null where it is not plain. */
export function plainCommands(script: string): string[][] | null {
  const commands: string[][] = [];
  let words: string[] = [];
  let mustFollow = false;
  let at = 0;
  while (at < script.length) {
    const rest = script.slice(at);
    const blank = /^(?:[ \t]|\\\n)+/.exec(rest);
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const operator = rest.startsWith("\n") ? "\n" : OPERATORS.find((each) => rest.startsWith(each));
    if (operator !== undefined) {
      at += operator.length;
      if (words.length > 0) commands.push(words);
      else if (operator !== "\n") return null;
      if (operator !== "\n" || words.length > 0) mustFollow = operator !== ";" && operator !== "\n";
      words = [];
      continue;
    }
    const word = readWord(rest);
    if (word === null || (words.length === 0 && !isCommandName(word, rest))) return null;
    words.push(word.text);
    mustFollow = false;
    at += word.length;
  }
  if (words.length > 0) commands.push(words);
  return mustFollow ? null : commands;
}

interface Word {
  readonly text: string;
  readonly length: number;
}

function isCommandName({ text, length }: Word, rest: string): boolean {
  if (RESERVED.has(text) || /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(text)) return false;
  return !/['"]/.test(rest.slice(0, length));
}

/** One word with its quoted parts; null where it is not literal. */
function readWord(rest: string): Word | null {
  let text = "";
  let at = 0;
  let pieces = 0;
  while (at < rest.length && !/^(?:[ \t\n;|]|\\\n)/.test(rest.slice(at, at + 2))) {
    const piece = readPiece(rest.slice(at));
    if (piece === null) return null;
    text += piece.text;
    at += piece.length;
    pieces += 1;
  }
  if (text === "" && pieces > 1) return null;
  return { text, length: at };
}

function readPiece(rest: string): Word | null {
  const single = /^'([^']*)'/.exec(rest);
  if (single !== null) return { text: single[1] ?? "", length: single[0].length };
  const double = /^"((?:[^"\\$`]|\\[^$`"\\\n])*)"/.exec(rest);
  if (double !== null) return { text: double[1] ?? "", length: double[0].length };
  const bare = /^(?:[^ \t\n;|'"\\]|\\(?!\n))+/.exec(rest)?.[0];
  if (bare === undefined || bare.startsWith("=") || REFUSED.test(bare)) return null;
  return { text: bare, length: bare.length };
}
