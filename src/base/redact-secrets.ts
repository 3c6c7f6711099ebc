/**
 * Redacts likely secrets in commands that are displayed or stored. The executed command is unchanged, and so is the text
 * of an approval request. Every pattern matches in linear time: a repetition has one way to match and starts where no
 * longer match can.
 */

const REDACTED = "[REDACTED_SECRET]";
const NEVER = /(?!)/;

/** Secrets with a recognizable format. The order matters: later rules skip what an earlier one has redacted. */
const SECRET_FORMATS: readonly (readonly [RegExp, string])[] = [
  [/\bBearer[ \t]+[a-z0-9._~+/-]{16,}=*/gi, `Bearer ${REDACTED}`],
  [/(?<![A-Za-z0-9])sk-[\w-]{20,}/g, REDACTED],
  [/\bA(?:KIA|SIA)[0-9A-Z]{16}\b/g, REDACTED],
  [/(?<![A-Za-z0-9])(?:gh[oprsu]_|github_pat_|glpat-|hf_|npm_|pypi-)[\w-]{20,}/g, REDACTED],
  [/(?<![A-Za-z0-9])xox[a-z]-[\w-]{10,}/g, REDACTED],
  [/(?<![A-Za-z0-9])AIza[\w-]{35}/g, REDACTED],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, REDACTED],
  [
    /\b(api[_-]?key|token|secret|password)\b(["']?\s{0,16}[:=]\s{0,16})(["']?)[^\s"']{8,}/gi,
    `$1$2$3${REDACTED}`,
  ],
];
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*/g;

const SECRET_NAMES =
  "access[_-]?key|api[_-]?key|auth[_-]?token|credentials?|passphrase|passwd|password|private[_-]?key|secret|token";
/** Prefixes of secrets without a format of their own, with the minimum length of the secret. */
const SECRET_PREFIXES: readonly (readonly [RegExp, number])[] = [
  [new RegExp(`(?<![\\w-])--?(?:[\\w-]*[_-])?(?:${SECRET_NAMES})(?:=|[ \\t]+)`, "gi"), 1],
  [new RegExp(`(?<![\\w$-])(?:[A-Z0-9_]*_)?(?:${SECRET_NAMES.toUpperCase()})(?:_[A-Z0-9_]*)?=`, "g"), 1],
  [new RegExp(`(?<![\\w$-])(?:[\\w-]*[_-])(?:${SECRET_NAMES})(?:["']?\\s{0,16}[:=]\\s{0,16})`, "gi"), 8],
  [/(?<![\w-])authorization["']?[ \t]{0,16}[:=][ \t]{0,16}(?:[a-z]{1,16}[ \t]+(?=\S))?/gi, 1],
  [/(?<![\w-])sshpass[ \t]+-p[ \t]*/g, 1],
  [/(?<![\w$-])(?:[A-Z0-9_]*PASS(?:WORD|WD|PHRASE)|SSHPASS|MYSQL_PWD|REDISCLI_AUTH)=/g, 1],
];
const SECRET_NAME = new RegExp(`^(?:[\\w-]*[_-])?(?:${SECRET_NAMES}|authorization|cookie)$`, "i");
const SECRET_OPTION = new RegExp(`^--?(?:[\\w-]*[_-])?(?:${SECRET_NAMES})$`, "i");
const URL_PASSWORD = /(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/[^\s/?#@"':]*:)(?!\$)[^\s/?#"']+@/gi;
const URL_TOKEN = /(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"':$]{20,}@/gi;

/** Programs with options that take a secret, where the same option means something else in other programs. */
const PROGRAMS: readonly {
  readonly name: RegExp;
  /** The text up to the secret; the group captures an opening quote. */
  readonly prefix: RegExp;
  /** The word before the secret, if the secret is a word of its own. */
  readonly option: RegExp;
  /** Whether the secret follows a user name and a colon. */
  readonly followsUserName?: true;
}[] = [
  {
    name: /(?<![\w-])curl(?![\w-])/,
    prefix: /(?<=\s)(?:-[A-Za-z]*[uU]|--(?:proxy-)?user(?:=|(?=\s)))[ \t]*(["']?)[^\s"':]*:/g,
    option: /^(?:-[A-Za-z]*[uU]|--(?:proxy-)?user)$/,
    followsUserName: true,
  },
  {
    name: /(?<![\w-])(?:https?|xhs?)(?=[ \t]|$)/,
    prefix: /(?<=\s)(?:-a|--auth)(?:=|[ \t]+)(["']?)[^\s"':]*:/g,
    option: /^(?:-a|--auth)$/,
    followsUserName: true,
  },
  { name: /(?<![\w-])(?:mysql|mariadb)[\w-]*/, prefix: /(?<=\s)-p(?=[^\s-])/g, option: NEVER },
  { name: /(?<![\w-])redis-cli(?![\w-])/, prefix: /(?<=\s)(?:-a|--pass)[ \t]+/g, option: /^(?:-a|--pass)$/ },
  { name: /(?<![\w-])ldap[a-z]+/, prefix: /(?<=\s)-w[ \t]+/g, option: /^-w$/ },
  { name: /(?<![\w-])mongo[a-z]*/, prefix: /(?<=\s)-p[ \t]+/g, option: /^-p$/ },
];

/** Options with user name and password in one word, for all programs but those that use them differently. */
const USER_OPTION = "-[uU]|--(?:(?:proxy-|http-)?user|userpwd|creds|(?:basic-|http-)?auth)";
const LOGIN = new RegExp(
  `(?<![\\w-])(?:${USER_OPTION})(?:["']?(?:[ \\t]{1,16}|=|,[ \\t]{0,16}))(["']?)[\\w.@\\\\-]+[:%]`,
  "g",
);
const LOGIN_OPTION = new RegExp(`^(?:${USER_OPTION})$`);
const LOGIN_WORD = /^[\w.@\\-]+[:%]/;
const PROGRAMS_WITHOUT_LOGINS =
  /(?<![\w-])(?:buildah|crictl|ctr|date|diff|docker|git|grep|kubectl|nerdctl|podman|ps|rg|sort|uniq)(?![\w-])/;
/** Ports and numeric user and group ids are not passwords. */
const NUMBER = /^\d{1,5}(?![^\s"',;&|)])/;

/** Returns the text that is shown in place of a secret. */
type Hide = (secret: string) => string;

const hideWhole: Hide = () => REDACTED;
const hideByLine: Hide = (secret) => REDACTED + secret.replaceAll(/[^\n]/g, "");

export function redactSecrets(text: string): string {
  return redactWith(text, hideWhole);
}

/** Like `redactSecrets`, but the text has as many lines afterwards as before. */
export function redactSecretsByLine(text: string): string {
  return redactWith(text, hideByLine);
}

/** Whether the value of a variable, header or property with this name is likely a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_"));
}

function redactWith(text: string, hide: Hide): string {
  let redacted = text.replace(PRIVATE_KEY, hide);
  for (const [pattern, replacement] of SECRET_FORMATS) redacted = redacted.replace(pattern, replacement);
  for (const [prefix, minLength] of SECRET_PREFIXES)
    redacted = redactValues(redacted, { prefix, minLength, hide });
  redacted = redacted.replace(URL_PASSWORD, `$1${REDACTED}@`).replace(URL_TOKEN, `$1${REDACTED}@`);
  for (const { name, prefix } of PROGRAMS)
    if (name.test(redacted)) redacted = redactValues(redacted, { prefix, minLength: 1, hide });
  return redactLogins(redacted, hide);
}

/** Handles each simple command on its own, because each has its own program. */
function redactLogins(text: string, hide: Hide): string {
  if (!/-[uU]|--[a-z]/.test(text)) return text;
  return text
    .split(/([;&|\n]+)/)
    .map((part) =>
      PROGRAMS_WITHOUT_LOGINS.test(part)
        ? part
        : redactValues(part, { prefix: LOGIN, minLength: 3, except: NUMBER, hide }),
    )
    .join("");
}

/** Like `redactSecrets`, for a list of arguments, where an option may be followed by its secret. */
export function redactWords(words: readonly string[]): string[] {
  const programs = PROGRAMS.filter(({ name }) => words.some((word) => name.test(word)));
  const hasLogins = !words.some((word) => PROGRAMS_WITHOUT_LOGINS.test(word));
  return words.map((word, at) => {
    const before = words[at - 1] ?? "";
    if (SECRET_OPTION.test(before) && !word.startsWith("--")) return REDACTED;
    const named = programs.find(({ option }) => option.test(before));
    if (named !== undefined)
      return named.followsUserName === true ? redactAfterName(word, /^[^:]*:/) : REDACTED;
    if (hasLogins && LOGIN_OPTION.test(before)) {
      const redacted = redactAfterName(word, LOGIN_WORD);
      return NUMBER.test(word.replace(LOGIN_WORD, "")) ? redactSecrets(word) : redacted;
    }
    const program = programs[0] === undefined ? "" : wordOf(programs[0].name, words);
    return program === ""
      ? redactSecrets(word)
      : redactSecrets(`${program} ${word}`).slice(program.length + 1);
  });
}

function redactAfterName(word: string, name: RegExp): string {
  const length = name.exec(word)?.[0].length;
  return length === undefined ? redactSecrets(word) : `${word.slice(0, length)}${REDACTED}`;
}

function wordOf(name: RegExp, words: readonly string[]): string {
  return name.exec(words.find((word) => name.test(word)) ?? "")?.[0] ?? "";
}

interface SecretValue {
  /** The text before it. */
  readonly prefix: RegExp;
  readonly minLength: number;
  readonly except?: RegExp;
  readonly hide: Hide;
}

/** Redacts the shell word after each match of the prefix. A variable reference is not a secret. */
function redactValues(text: string, { prefix, minLength, except = NEVER, hide }: SecretValue): string {
  let redacted = "";
  let done = 0;
  for (const match of text.matchAll(prefix)) {
    const start = match.index + match[0].length;
    if (match.index < done) continue;
    const end = wordEnd(text, start, match[1]);
    if (end - start < minLength || /^["']?\$/.test(text.slice(start, start + 2))) continue;
    if (except.test(text.slice(start, end))) continue;
    const quote = quoteAround(text, start, end);
    redacted += `${text.slice(done, start)}${quote}${hide(text.slice(start, end))}${quote}`;
    done = end;
  }
  return redacted + text.slice(done);
}

/** The quotes of a word that is quoted as a whole, which are kept. */
function quoteAround(text: string, start: number, end: number): string {
  const quote = text.charAt(start);
  if (end - start < 2 || (quote !== '"' && quote !== "'") || text.charAt(end - 1) !== quote) return "";
  return closingQuote(text, start) === end - 1 ? quote : "";
}

const WORD_END = /[\s;&|<>(),]/;

/** The end of the word that starts here; `openQuote` is a quote that was opened before it. */
function wordEnd(text: string, start: number, openQuote = ""): number {
  if (openQuote !== "") {
    const end = text.indexOf(openQuote, start);
    return end < 0 ? text.length : end;
  }
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (WORD_END.test(character)) break;
    if (character === "\\") at += 2;
    else if (character === '"' || character === "'") {
      const end = closingQuote(text, at);
      // This quote closes one that was opened before the word.
      if (end < 0) break;
      at = end + 1;
      // In other notations than shell, such as JSON, a string ends with its quote.
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

interface DisplayedCommand {
  readonly command: string;
  /** The search pattern. */
  readonly query?: string | null;
}

/** A command item or action with its command and query redacted. */
export function redactCommand<T extends DisplayedCommand>(displayed: T): T {
  const { command, query } = displayed;
  return {
    ...displayed,
    command: redactSecrets(command),
    ...(typeof query === "string" ? { query: redactSecrets(query) } : {}),
  };
}
