/**
 * Takes out of a command what looks like a secret, where it is shown or kept. What is run stays as it is, and so does
 * what somebody is asked to approve. Every pattern is read in a time that grows with the text alone: what repeats has
 * one way to match, and begins where no longer match can.
 */

const HIDDEN = "[REDACTED_SECRET]";

/** What is a secret by its own form. In this order: what one rule has hidden, the next ones leave alone. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\bBearer[ \t]+[a-z0-9._~+/-]{16,}=*/gi, `Bearer ${HIDDEN}`],
  [/(?<![A-Za-z0-9])sk-[\w-]{20,}/g, HIDDEN],
  [/\bA(?:KIA|SIA)[0-9A-Z]{16}\b/g, HIDDEN],
  [/(?<![A-Za-z0-9])(?:gh[oprsu]_|github_pat_|glpat-|hf_|npm_|pypi-)[\w-]{20,}/g, HIDDEN],
  [/(?<![A-Za-z0-9])xox[a-z]-[\w-]{10,}/g, HIDDEN],
  [/(?<![A-Za-z0-9])AIza[\w-]{35}/g, HIDDEN],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, HIDDEN],
  [/-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*/g, HIDDEN],
  [/\b(api[_-]?key|token|secret|password)\b(\s{0,16}[:=]\s{0,16})(["']?)[^\s"']{8,}/gi, `$1$2$3${HIDDEN}`],
];

const NAMES =
  "access[_-]?key|api[_-]?key|auth[_-]?token|credentials?|passphrase|passwd|password|private[_-]?key|secret|token";
/** What stands before a secret that has no form of its own, and how long it is at least. */
const PLACES: readonly (readonly [RegExp, number])[] = [
  [new RegExp(`(?<![\\w-])--?(?:[\\w-]*[_-])?(?:${NAMES})(?:=|[ \\t]+)`, "gi"), 1],
  [new RegExp(`(?<![\\w$-])(?:[A-Z0-9_]*_)?(?:${NAMES.toUpperCase()})(?:_[A-Z0-9_]*)?=`, "g"), 1],
  [new RegExp(`(?<![\\w$-])(?:[\\w-]*[_-])(?:${NAMES})(?:["']?\\s{0,16}[:=]\\s{0,16})`, "gi"), 8],
  [/(?<![\w-])authorization["']?[ \t]{0,16}[:=][ \t]{0,16}(?:[a-z]{1,16}[ \t]+(?=\S))?/gi, 1],
  [/(?<![\w-])sshpass[ \t]+-p[ \t]*/g, 1],
];
const SECRET_OPTION = new RegExp(`^--?(?:[\\w-]*[_-])?(?:${NAMES})$`, "i");
const URL_PASSWORD = /(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/[^\s/?#@"':]*:)(?!\$)[^\s/?#"']+@/gi;
const URL_TOKEN = /(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"':$]{20,}@/gi;
const CURL = /(?<![\w-])curl(?![\w-])/;
const CURL_USER_OPTION = /^(?:-[A-Za-z]*[uU]|--(?:proxy-)?user)$/;
const CURL_USER = /(?<=\s)(?:-[A-Za-z]*[uU]|--(?:proxy-)?user(?:=|(?=\s)))[ \t]*(["']?)[^\s"':]*:/g;

export function redactSecrets(text: string): string {
  let shown = text;
  for (const [pattern, replacement] of SHAPES) shown = shown.replace(pattern, replacement);
  for (const [place, least] of PLACES) shown = hideValues(shown, place, least);
  shown = shown.replace(URL_PASSWORD, `$1${HIDDEN}@`).replace(URL_TOKEN, `$1${HIDDEN}@`);
  return CURL.test(shown) ? hideValues(shown, CURL_USER, 1) : shown;
}

/** The same for the words of a command, of which one may name what the next one is. */
export function redactWords(words: readonly string[]): string[] {
  const isCurl = words.some((word) => /^(?:.*\/)?curl$/.test(word));
  return words.map((word, at) => {
    const before = words[at - 1] ?? "";
    if (SECRET_OPTION.test(before) && !word.startsWith("--")) return HIDDEN;
    if (!isCurl) return redactSecrets(word);
    const colon = CURL_USER_OPTION.test(before) ? word.indexOf(":") : -1;
    return colon < 0 ? redactSecrets(`curl ${word}`).slice(5) : `${word.slice(0, colon + 1)}${HIDDEN}`;
  });
}

/** Hides what the shell would read as one word behind each match of the pattern. A variable is no secret. */
function hideValues(text: string, place: RegExp, least: number): string {
  let shown = "";
  let done = 0;
  for (const match of text.matchAll(place)) {
    const start = match.index + match[0].length;
    if (match.index < done) continue;
    const end = wordEnd(text, start, match[1]);
    if (end - start < least || /^["']?\$/.test(text.slice(start, start + 2))) continue;
    const quote = quoteAround(text, start, end);
    shown += `${text.slice(done, start)}${quote}${HIDDEN}${quote}`;
    done = end;
  }
  return shown + text.slice(done);
}

/** A word that is one quoted text keeps its quotes. */
function quoteAround(text: string, start: number, end: number): string {
  const quote = text.charAt(start);
  if (end - start < 2 || (quote !== '"' && quote !== "'") || text.charAt(end - 1) !== quote) return "";
  return closingQuote(text, start) === end - 1 ? quote : "";
}

const WORD_END = /[\s;&|<>(),]/;

/** Behind the last character of the word that begins here; `within` is the quote that was opened before it. */
function wordEnd(text: string, start: number, within = ""): number {
  if (within !== "") {
    const end = text.indexOf(within, start);
    return end < 0 ? text.length : end;
  }
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (WORD_END.test(character)) break;
    if (character === "\\") at += 2;
    else if (character === '"' || character === "'") {
      const end = closingQuote(text, at);
      // A quote that was opened further ahead ends here.
      if (end < 0) break;
      at = end + 1;
      // In other notations than that of a shell a text ends with its quote.
      if ("}]:,".includes(text.charAt(at) || " ")) break;
    } else at += 1;
  }
  return Math.min(at, text.length);
}

function closingQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  if (quote === "'") return text.indexOf(quote, start + 1);
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === quote) return at;
    if (character === "\\") at += 1;
  }
  return -1;
}

interface ShownCommand {
  readonly command: string;
  /** What a search looks for. */
  readonly query?: string | null;
}

/** The same item or action, with the texts that a user or a model wrote redacted. */
export function redactCommand<Shown extends ShownCommand>(shown: Shown): Shown {
  const { command, query } = shown;
  return {
    ...shown,
    command: redactSecrets(command),
    ...(typeof query === "string" ? { query: redactSecrets(query) } : {}),
  };
}
