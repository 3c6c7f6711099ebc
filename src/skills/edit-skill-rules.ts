// Edits the text of config.toml to enable or disable a skill. Skills are enabled by default, so only disabled ones
// have a `[[skills.config]]` entry. Entries keep that form, because the peer drops other forms.

import { resolve } from "node:path";
import { editToml, removeListEntry } from "../config/toml/edit-toml.ts";
import { renderValue } from "../config/toml/render-toml.ts";
import { insertBlock, sectionEnd } from "../config/toml/toml-lines.ts";
import { outlineToml, type TomlStatement } from "../config/toml/toml-outline.ts";
import { isTable, type TomlTable, type TomlValue, valueAt } from "../config/toml/toml-value.ts";
import { selectorOf } from "./skill-settings.ts";

export type SkillSelector = { readonly path: string } | { readonly name: string };

export interface SkillRulesFile {
  readonly text: string;
  /** The parsed text. */
  readonly table: TomlTable;
  /** The base of relative paths in the file. */
  readonly folder: string;
}

const RULES = ["skills", "config"];

/** The text with the skill enabled or disabled; unchanged if it already is. */
export async function editSkillRules(
  file: SkillRulesFile,
  selector: SkillSelector,
  enabled: boolean,
): Promise<string> {
  const { text, table } = file;
  const found = valueAt(table, RULES);
  const rules = Array.isArray(found) ? found : [];
  const requested = await selectorOf(selector);
  if (requested === null) return text;
  const index = await indexOfRule(file, rules, requested);
  if (enabled) return index === -1 ? text : removeRule(text, rules, index);
  const rule = rules[index];
  if (isTable(rule) && rule["enabled"] === false) return text;
  const off: TomlTable = { [requested.by]: requested.value, enabled: false };
  return index === -1 ? addRule(text, rules, off) : replaceRule(text, rules.with(index, off), index);
}

type Selector = NonNullable<Awaited<ReturnType<typeof selectorOf>>>;

async function indexOfRule(
  { folder }: SkillRulesFile,
  rules: readonly TomlValue[],
  requested: Selector,
): Promise<number> {
  for (const [index, rule] of rules.entries()) {
    if (!isTable(rule)) continue;
    const { name, path } = rule;
    const selector = await selectorOf({
      name,
      path: typeof path === "string" ? resolve(folder, path) : path,
    });
    if (selector?.by === requested.by && selector.value === requested.value) return index;
  }
  return -1;
}

/** Whether the rules are an inline value, such as `config = [{ … }]`. */
function areInline(statements: readonly TomlStatement[]): boolean {
  return statements.some(
    ({ kind, path }) =>
      kind === "pair" && path.length <= RULES.length && path.every((key, at) => key === RULES[at]),
  );
}

function addRule(text: string, rules: readonly TomlValue[], rule: TomlTable): string {
  const statements = outlineToml(text);
  if (areInline(statements)) return editToml(text, { path: RULES, value: [...rules, rule] });
  const relative = statements.findLast(({ kind, path }) => kind !== "pair" && path[0] === RULES[0]);
  const at = relative === undefined ? text.length : sectionEnd(text, statements, relative);
  const pairs = Object.entries(rule).map(([key, value]) => `${key} = ${renderValue(value)}`);
  return insertBlock(text, at, [`[[${RULES.join(".")}]]`, ...pairs]);
}

function removeRule(text: string, rules: readonly TomlValue[], index: number): string {
  if (!areInline(outlineToml(text))) return removeListEntry(text, RULES, index);
  return editToml(text, { path: RULES, value: rules.length === 1 ? undefined : rules.toSpliced(index, 1) });
}

function replaceRule(text: string, rules: TomlValue[], index: number): string {
  const statements = outlineToml(text);
  if (areInline(statements)) return editToml(text, { path: RULES, value: rules });
  const path = [...RULES, String(index), "enabled"].join("\n");
  const pair = statements.find((statement) => statement.path.join("\n") === path);
  return pair === undefined ? text : `${text.slice(0, pair.valueStart)}false${text.slice(pair.valueEnd)}`;
}
