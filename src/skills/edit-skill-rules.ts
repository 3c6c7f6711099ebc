// How switching a skill on or off changes the text of config.toml. Skills are on by default, so that only those
// that are off have a `[[skills.config]]` entry. Entries keep that form: the peer drops those in other forms.

import { resolve } from "node:path";
import { editToml, removeListEntry } from "../config/toml/edit-toml.ts";
import { renderValue } from "../config/toml/render-toml.ts";
import { insertBlock, sectionEnd } from "../config/toml/toml-lines.ts";
import { outlineToml, type Statement } from "../config/toml/toml-outline.ts";
import { isTable, type TomlTable, type TomlValue, valueAt } from "../config/toml/toml-value.ts";
import { selectorOf } from "./skill-settings.ts";

export type SkillSelector = { readonly path: string } | { readonly name: string };

export interface SkillRulesFile {
  readonly text: string;
  /** What the text says. */
  readonly table: TomlTable;
  /** Where relative paths in it start from. */
  readonly folder: string;
}

const RULES = ["skills", "config"];

/** The text with the skill switched on or off; the same text if it already says so. */
export async function editSkillRules(
  file: SkillRulesFile,
  selector: SkillSelector,
  enabled: boolean,
): Promise<string> {
  const { text, table } = file;
  const found = valueAt(table, RULES);
  const rules = Array.isArray(found) ? found : [];
  const wanted = await selectorOf(selector);
  if (wanted === null) return text;
  const index = await indexOfRule(file, rules, wanted);
  if (enabled) return index === -1 ? text : removeRule(text, rules, index);
  const rule = rules[index];
  if (isTable(rule) && rule["enabled"] === false) return text;
  const off: TomlTable = { [wanted.by]: wanted.value, enabled: false };
  return index === -1 ? addRule(text, rules, off) : replaceRule(text, rules.with(index, off), index);
}

type Selector = NonNullable<Awaited<ReturnType<typeof selectorOf>>>;

async function indexOfRule(
  { folder }: SkillRulesFile,
  rules: readonly TomlValue[],
  wanted: Selector,
): Promise<number> {
  for (const [index, rule] of rules.entries()) {
    if (!isTable(rule)) continue;
    const { name, path } = rule;
    const selector = await selectorOf({
      name,
      path: typeof path === "string" ? resolve(folder, path) : path,
    });
    if (selector?.by === wanted.by && selector.value === wanted.value) return index;
  }
  return -1;
}

/** Whether the rules stand inside of a value, such as `config = [{ … }]`. */
function areInline(statements: readonly Statement[]): boolean {
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
