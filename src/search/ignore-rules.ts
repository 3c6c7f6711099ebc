/**
 * The rules of one ignore file with git's semantics: the last matching rule applies. Does not use the `ignore` package: a
 * repository may contain a rule such as three times `**` and a name, for which its patterns take minutes, and it takes
 * more than twice the time for a walk with ordinary rules.
 */
export interface IgnoreRules {
  /** True ignores the path, false includes it regardless of earlier rules, null defers to other files. */
  decide(path: string, isFolder: boolean): boolean | null;
}

interface Rule {
  readonly order: number;
  readonly hides: boolean;
  readonly foldersOnly: boolean;
}

interface PatternRule extends Rule {
  readonly pattern: RegExp;
  /** Matched against the path relative to the file's folder, not only the base name. */
  readonly isAnchored: boolean;
}

export function parseIgnoreRules(text: string): IgnoreRules {
  // Most rules are names or extensions; map lookups for these keep a walk over many files fast.
  const names = new Map<string, Rule[]>();
  const extensions = new Map<string, Rule[]>();
  const patterns: PatternRule[] = [];
  for (const [order, line] of text.split(/\r?\n/).entries()) {
    const read = readLine(line);
    if (read === null) continue;
    const { glob, isAnchored } = read;
    const rule = { order, hides: read.hides, foldersOnly: read.foldersOnly };
    const extension = /^\*(\.[^*?[\\/.]+)$/.exec(glob)?.[1];
    if (!isAnchored && extension !== undefined) add(extensions, extension, rule);
    else if (!isAnchored && !/[*?[\\]/.test(glob)) add(names, glob, rule);
    else patterns.push({ ...rule, isAnchored, pattern: toPattern(glob) });
  }

  return {
    decide(path, isFolder) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      let best: Rule | null = null;
      const consider = (rule: Rule): void => {
        if (rule.order > (best?.order ?? -1) && (isFolder || !rule.foldersOnly)) best = rule;
      };
      names.get(name)?.forEach(consider);
      const dot = name.lastIndexOf(".");
      if (dot !== -1) extensions.get(name.slice(dot))?.forEach(consider);
      for (const rule of patterns) if (rule.pattern.test(rule.isAnchored ? path : name)) consider(rule);
      return (best as Rule | null)?.hides ?? null;
    },
  };
}

function add(map: Map<string, Rule[]>, key: string, rule: Rule): void {
  const rules = map.get(key);
  if (rules === undefined) map.set(key, [rule]);
  else rules.push(rule);
}

function readLine(line: string) {
  const trimmed = line.replace(/(?<!\\)\s+$/, "");
  if (trimmed === "" || trimmed.startsWith("#")) return null;
  const hides = !trimmed.startsWith("!");
  const body = hides ? trimmed : trimmed.slice(1);
  const foldersOnly = body.endsWith("/");
  const bare = foldersOnly ? body.slice(0, -1) : body;
  // A plain name already matches at any depth, and more cheaply.
  const shorter = bare.replace(/^(?:\*\*\/)+(?=[^/]+$)/, "");
  const isAnchored = shorter.includes("/");
  const glob = shorter.replace(/^\//, "");
  return glob === "" ? null : { hides, foldersOnly, isAnchored, glob };
}

const TOKEN = /\\.|\/\*\*\/|(?<=^|\/)\*\*\/|\/\*\*$|\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|[^]/gu;

function toPattern(glob: string): RegExp {
  try {
    return new RegExp(`^${toSource(glob)}$`, "su");
  } catch {
    // An invalid class, such as a reversed range, matches nothing.
    return /(?!)/;
  }
}

/**
 * The part between two wildcards is matched at its first occurrence (an atomic group): a later one leaves less for the
 * next wildcard. Backtracking into later ones would take practically unbounded time for a malicious pattern.
 */
function toSource(glob: string): string {
  let count = 0;
  const first = (source: string): string => {
    count += 1;
    return `(?=(?<run${count}>${source}))\\k<run${count}>`;
  };
  const toNames = (tokens: readonly string[]): string => {
    const [start = "", ...pieces] = split(tokens, isStar).map((piece) => piece.map(toCharacters).join(""));
    const last = pieces.pop();
    const between = pieces.map((piece) => first(`[^/]*?${piece}`));
    return start + between.join("") + (last === undefined ? "" : `[^/]*${last}`);
  };
  const tokens = glob.match(TOKEN) ?? [];
  // Every `**` except a leading one is preceded by a slash.
  const [start = [], ...parts] = split(tokens, isDeep);
  const last = parts.pop();
  if (last === undefined) return toNames(start);
  const slash = tokens[0] === "**/" ? "" : "/";
  const between = parts.map((part) => first(`(?:.*?/)??${part.length === 0 ? "" : `${toNames(part)}/`}`));
  return `${toNames(start)}${slash}${between.join("")}(?:.*/)?${toNames(last)}`;
}

function isStar(token: string): boolean {
  return /^\*+$/.test(token);
}

function isDeep(token: string): boolean {
  return token === "**/" || token === "/**/";
}

/** Splits the tokens at separators. */
function split(tokens: readonly string[], separates: (token: string) => boolean): string[][] {
  const parts: string[][] = [[]];
  for (const token of tokens) {
    if (separates(token)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

function toCharacters(token: string): string {
  if (token === "/**") return "/.*";
  if (token === "?") return "[^/]";
  if (token.length > 2 && token.startsWith("[")) return toClass(token);
  return escapeCharacter(token.length === 2 && token.startsWith("\\") ? token.slice(1) : token);
}

function toClass(token: string): string {
  const isNegated = /^\[[!^]/.test(token);
  const members = token.slice(isNegated ? 2 : 1, -1).replaceAll(/\\?([[\]^])|\\([^])/gu, "\\$1$2");
  return isNegated ? `(?!/)[^${members}]` : `[${members}]`;
}

function escapeCharacter(character: string): string {
  return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
