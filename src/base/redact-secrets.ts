/**
 * Takes out of a command what looks like a secret, where it is shown or kept. What is run stays as it is, and so does
 * what somebody is asked to approve. Every pattern is read in a time that grows with the text alone: what repeats has
 * one way to match, and begins where no longer match can.
 */

const HIDDEN = "[REDACTED_SECRET]";
const NEVER = /(?!)/;

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
  [/(?<![\w$-])(?:[A-Z0-9_]*PASS(?:WORD|WD|PHRASE)|SSHPASS|MYSQL_PWD|REDISCLI_AUTH)=/g, 1],
];
const SECRET_OPTION = new RegExp(`^--?(?:[\\w-]*[_-])?(?:${NAMES})$`, "i");
const URL_PASSWORD = /(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/[^\s/?#@"':]*:)(?!\$)[^\s/?#"']+@/gi;
const URL_TOKEN = /(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"':$]{20,}@/gi;

/** Programs whose options have a secret where others have something else. */
const PROGRAMS: readonly {
  readonly name: RegExp;
  /** In a text, up to the secret; a group has the quote that was opened. */
  readonly place: RegExp;
  /** The word before the one that has it, where that is one of its own. */
  readonly option: RegExp;
  /** Whether a name and a colon stand before the secret. */
  readonly hasName?: true;
}[] = [
  {
    name: /(?<![\w-])curl(?![\w-])/,
    place: /(?<=\s)(?:-[A-Za-z]*[uU]|--(?:proxy-)?user(?:=|(?=\s)))[ \t]*(["']?)[^\s"':]*:/g,
    option: /^(?:-[A-Za-z]*[uU]|--(?:proxy-)?user)$/,
    hasName: true,
  },
  {
    name: /(?<![\w-])(?:https?|xhs?)(?=[ \t]|$)/,
    place: /(?<=\s)(?:-a|--auth)(?:=|[ \t]+)(["']?)[^\s"':]*:/g,
    option: /^(?:-a|--auth)$/,
    hasName: true,
  },
  { name: /(?<![\w-])(?:mysql|mariadb)[\w-]*/, place: /(?<=\s)-p(?=[^\s-])/g, option: NEVER },
  { name: /(?<![\w-])redis-cli(?![\w-])/, place: /(?<=\s)(?:-a|--pass)[ \t]+/g, option: /^(?:-a|--pass)$/ },
  { name: /(?<![\w-])ldap[a-z]+/, place: /(?<=\s)-w[ \t]+/g, option: /^-w$/ },
  { name: /(?<![\w-])mongo[a-z]*/, place: /(?<=\s)-p[ \t]+/g, option: /^-p$/ },
];

/** A name and a password in one word, of any program but those to which it is something else. */
const USER_OPTION = "-[uU]|--(?:(?:proxy-|http-)?user|userpwd|creds|(?:basic-|http-)?auth)";
const LOGIN = new RegExp(
  `(?<![\\w-])(?:${USER_OPTION})(?:["']?(?:[ \\t]{1,16}|=|,[ \\t]{0,16}))(["']?)[\\w.@\\\\-]+[:%]`,
  "g",
);
const LOGIN_OPTION = new RegExp(`^(?:${USER_OPTION})$`);
const LOGIN_WORD = /^[\w.@\\-]+[:%]/;
const OTHERWISE =
  /(?<![\w-])(?:buildah|crictl|ctr|date|diff|docker|git|grep|kubectl|nerdctl|podman|ps|rg|sort|uniq)(?![\w-])/;
/** Ports, and users and groups by their numbers. */
const NUMBER = /^\d{1,5}(?![^\s"',;&|)])/;

export function redactSecrets(text: string): string {
  let shown = text;
  for (const [pattern, replacement] of SHAPES) shown = shown.replace(pattern, replacement);
  for (const [place, least] of PLACES) shown = hideValues(shown, place, least);
  shown = shown.replace(URL_PASSWORD, `$1${HIDDEN}@`).replace(URL_TOKEN, `$1${HIDDEN}@`);
  for (const { name, place } of PROGRAMS) if (name.test(shown)) shown = hideValues(shown, place, 1);
  return hideLogins(shown);
}

/** Of one simple command after the other, as each has its own program. */
function hideLogins(text: string): string {
  if (!/-[uU]|--[a-z]/.test(text)) return text;
  return text
    .split(/([;&|\n]+)/)
    .map((part) => (OTHERWISE.test(part) ? part : hideValues(part, LOGIN, 3, NUMBER)))
    .join("");
}

/** The same for the words of a command, of which one may name what the next one is. */
export function redactWords(words: readonly string[]): string[] {
  const programs = PROGRAMS.filter(({ name }) => words.some((word) => name.test(word)));
  const hasLogins = !words.some((word) => OTHERWISE.test(word));
  return words.map((word, at) => {
    const before = words[at - 1] ?? "";
    if (SECRET_OPTION.test(before) && !word.startsWith("--")) return HIDDEN;
    const named = programs.find(({ option }) => option.test(before));
    if (named !== undefined) return named.hasName === true ? behindName(word, /^[^:]*:/) : HIDDEN;
    if (hasLogins && LOGIN_OPTION.test(before)) {
      const shown = behindName(word, LOGIN_WORD);
      return NUMBER.test(word.replace(LOGIN_WORD, "")) ? redactSecrets(word) : shown;
    }
    const program = programs[0] === undefined ? "" : wordOf(programs[0].name, words);
    return program === ""
      ? redactSecrets(word)
      : redactSecrets(`${program} ${word}`).slice(program.length + 1);
  });
}

function behindName(word: string, name: RegExp): string {
  const length = name.exec(word)?.[0].length;
  return length === undefined ? redactSecrets(word) : `${word.slice(0, length)}${HIDDEN}`;
}

function wordOf(name: RegExp, words: readonly string[]): string {
  return name.exec(words.find((word) => name.test(word)) ?? "")?.[0] ?? "";
}

/** Hides what the shell would read as one word behind each match of the pattern. A variable is no secret. */
function hideValues(text: string, place: RegExp, least: number, except = NEVER): string {
  let shown = "";
  let done = 0;
  for (const match of text.matchAll(place)) {
    const start = match.index + match[0].length;
    if (match.index < done) continue;
    const end = wordEnd(text, start, match[1]);
    if (end - start < least || /^["']?\$/.test(text.slice(start, start + 2))) continue;
    if (except.test(text.slice(start, end))) continue;
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
