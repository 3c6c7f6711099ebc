/** Generates the reference page of all keys; the server does not load this file. */
import { configSchema } from "./config-schema.ts";
import { heddleKeys } from "./heddle-keys.ts";
import { consumerOf } from "./ignored-keys.ts";
import type { ConfigNode, Field, Kind } from "./kind.ts";

const BANNER = "<!-- Generated from src/config/schema by `npm run generate`. Do not edit. -->";

const INTRODUCTION = `Every key of \`config.toml\`. \`<name>\` stands for a name of your choice and \`[]\` for any entry of a list. Keys marked
*heddle* are Heddle's own; the others are those of Codex. Keys marked *no effect* belong to things that Heddle leaves out:
they are read and checked, and change nothing. Those marked *clients* are for what a client shows.
[Configuration](../configuration.md) explains the files and their order.`;

export function writeReferencePage(): string {
  const rows = listKeys(configSchema).map(toRow);
  const head = ["| Key | Type | Default | Meaning |", "| --- | --- | --- | --- |"];
  return `${[BANNER, "", "# Configuration keys", "", INTRODUCTION, "", ...head, ...rows].join("\n")}\n`;
}

const MARKS = { server: "", clients: " *clients*", nobody: " *no effect*" } as const;

function toRow({ path, type, fallback, required, doc }: ListedKey): string {
  const own = Object.hasOwn(heddleKeys, path.split(".")[0] ?? "") ? " *heddle*" : "";
  const normal = required ? "required" : fallback === undefined ? "" : `\`${toText(fallback)}\``;
  return `| \`${path}\`${own}${MARKS[consumerOf(path)]} | ${escape(type)} | ${escape(normal)} | ${escape(doc)} |`;
}

function toText(value: unknown): string {
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}

function escape(text: string): string {
  return text.replaceAll("|", "\\|");
}

export interface ListedKey {
  /** `<name>` represents a user-chosen name, `[]` any entry of a list. */
  readonly path: string;
  readonly type: string;
  /** Undefined where a missing key has no default. */
  readonly fallback: ConfigNode | undefined;
  readonly required: boolean;
  readonly doc: string;
}

export function listKeys(kind: Kind<unknown>, prefix = ""): ListedKey[] {
  const own = Object.entries(kind.fields ?? {}).flatMap(([key, field]) => listField(prefix + key, field));
  const entry =
    kind.entry === undefined ? [] : listKeys(kind.entry, `${prefix}${kind.entryKey ?? "<name>"}.`);
  return [...own, ...entry];
}

function listField(path: string, field: Field<unknown>): ListedKey[] {
  const { kind, doc, presence, fallback } = field;
  const row: ListedKey = {
    path,
    type: kind.label,
    fallback: fallback === null || kind.fields !== undefined ? undefined : fallback,
    required: presence === "required",
    doc,
  };
  return [row, ...listKeys(kind, `${path}.`)];
}
