/** The YAML front matter of a SKILL.md, with the name and description of the skill. */
import { messageOf } from "../base/errors.ts";
import { parseYaml } from "./yaml/parse-yaml.ts";
import { readFields, readString, YamlError } from "./yaml/yaml-node.ts";

export const MAX_NAME_LENGTH = 64;

/** White space as defined by Rust, and therefore by the peer. */
const WHITE_SPACE = /(?:[^\S\ufeff]|\u0085)+/;

export interface FrontMatter {
  readonly name: string;
  readonly description: string;
  readonly shortDescription: string | null;
}

export type FrontMatterResult =
  | { readonly ok: true; readonly value: FrontMatter }
  | { readonly ok: false; readonly message: string };

/** Parses the front matter of a SKILL.md; `defaultName` replaces a missing name. */
export function readFrontMatter(contents: string, defaultName: string): FrontMatterResult {
  const head = extractHead(contents);
  if (head === null) return { ok: false, message: "missing YAML frontmatter delimited by ---" };
  const fields = decodeWithRepair(head);
  if (!fields.ok) return { ok: false, message: `invalid YAML: ${fields.message}` };
  const name = oneLine(fields.value.name ?? "") || defaultName;
  const description = oneLine(fields.value.description ?? "");
  if (tooLong(name, MAX_NAME_LENGTH)) {
    return { ok: false, message: `invalid name: exceeds maximum length of ${MAX_NAME_LENGTH} characters` };
  }
  if (description === "") return { ok: false, message: "missing field `description`" };
  const shortDescription = oneLine(fields.value.shortDescription ?? "") || null;
  return { ok: true, value: { name, description, shortDescription } };
}

function extractHead(contents: string): string | null {
  const lines = contents.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (!isRule(lines[0] ?? "")) return null;
  const end = lines.findIndex((line, index) => index > 0 && isRule(line));
  return end <= 1 ? null : lines.slice(1, end).join("\n");
}

function isRule(line: string): boolean {
  return line.length < 80 && oneLine(line) === "---";
}

interface HeadFields {
  readonly name: string | null;
  readonly description: string | null;
  readonly shortDescription: string | null;
}

type Decoded =
  | { readonly ok: true; readonly value: HeadFields }
  | { readonly ok: false; readonly message: string };

function decodeWithRepair(head: string): Decoded {
  const decoded = decode(head);
  if (decoded.ok) return decoded;
  const repaired = quoteProse(head);
  const second = repaired === head ? decoded : decode(repaired);
  return second.ok ? second : decoded;
}

function decode(head: string): Decoded {
  try {
    const root = { text: head, path: "", node: parseYaml(head) };
    const fields = readFields(root, "SkillFrontmatter", ["name", "description", "metadata"]);
    const metadata =
      fields.metadata === undefined
        ? {}
        : readFields(fields.metadata, "SkillFrontmatterMetadata", ["short-description"]);
    const value = {
      name: readString(fields.name),
      description: readString(fields.description),
      shortDescription: readString(metadata["short-description"]),
    };
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { ok: false, message: messageOf(error) };
  }
}

/**
 * Quotes values that are commonly written as prose although they are not valid YAML, such as
 * `description: Deploys to AWS: ECS` or `argument-hint: [id] [name]`. Works line by line, so that
 * other errors remain errors.
 */
function quoteProse(head: string): string {
  let blockIndent: number | null = null;
  const lines = head.split("\n").map((line) => {
    const indent = line.search(/[^ ]|$/);
    if (blockIndent !== null && (line.trim() === "" || indent > blockIndent)) return line;
    blockIndent = null;
    const colon = line.indexOf(":");
    const rest = line.slice(colon + 1).trimStart();
    const isField = line.slice(0, Math.max(colon, 0)).trim() !== "" && /^\s/.test(line.slice(colon + 1));
    if (!isField || rest === "") return line;
    const comment = rest.search(/(?:^|(?<=\s))#/);
    const value = (comment === -1 ? rest : rest.slice(0, comment)).trimEnd();
    if (/^[|>]/.test(value)) blockIndent = indent;
    if (!needsQuotes(value)) return line;
    const before = line.slice(0, line.length - rest.length);
    return `${before}'${value.replaceAll("'", "''")}'${rest.slice(value.length)}`;
  });
  return lines.join("\n");
}

function needsQuotes(value: string): boolean {
  if (value === "" || /^[|>'"]/.test(value)) return false;
  return /:\s/.test(value) || (/^[[{@`]/.test(value) && !isYaml(value));
}

function isYaml(text: string): boolean {
  try {
    parseYaml(text);
    return true;
  } catch {
    return false;
  }
}

/** Collapses white space to single spaces. */
export function oneLine(text: string): string {
  return text.split(WHITE_SPACE).filter(Boolean).join(" ");
}

/** Whether a text has more characters (not code units) than `limit`. */
export function tooLong(text: string, limit: number): boolean {
  return text.length > limit && Array.from(text).length > limit;
}
