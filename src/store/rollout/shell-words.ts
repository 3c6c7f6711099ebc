// Words of a POSIX shell: the files keep a command as its words, the wire as one line.

const PLAIN = /[-+./:@\]_0-9A-Za-z]/;

/** A line from which a shell would read exactly these words. */
export function joinWords(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
  if (word === "") return "''";
  let quoted = "";
  for (let at = 0; at < word.length; ) {
    const { end, style } = pickStyle(word, at);
    const piece = word.slice(at, end);
    if (style === "plain") quoted += piece;
    else if (style === "single") quoted += `'${piece}'`;
    else quoted += `"${piece.replaceAll(/[$`"\\]/g, String.raw`\$&`)}"`;
    at = end;
  }
  return quoted;
}

/** How far one style of quoting can go from here, and the plainest such style. */
function pickStyle(word: string, start: number) {
  // Shells with history expand a caret unless it comes right after a single quote.
  const isCaret = word.charAt(start) === "^";
  let fits = { plain: !isCaret, single: true, double: !isCaret };
  let end = isCaret ? start + 1 : start;
  for (; end < word.length; end += 1) {
    const character = word.charAt(end);
    const next = {
      plain: fits.plain && PLAIN.test(character),
      single: fits.single && !"'^\\".includes(character),
      double: fits.double && !"`$!^".includes(character),
    };
    if (!next.plain && !next.single && !next.double) break;
    fits = next;
  }
  return { end, style: fits.plain ? "plain" : fits.single ? "single" : "double" } as const;
}

/** The words of a line that `joinWords` made; null for any other line. */
export function splitWords(line: string): string[] | null {
  const piecePattern = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|([^\s'"\\]+)/y;
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    const start = at;
    let word = "";
    for (;;) {
      piecePattern.lastIndex = at;
      const [piece, single, double, plain] = piecePattern.exec(line) ?? [];
      if (piece === undefined) break;
      word += single ?? plain ?? (double ?? "").replaceAll(/\\([$`"\\])/g, "$1");
      at += piece.length;
    }
    if (at === start || (at < line.length && line.charAt(at) !== " ")) return null;
    words.push(word);
    at += 1;
  }
  return joinWords(words) === line ? words : null;
}
