// The optional `agents/openai.yaml` of a skill: display properties, required tools and usage policy. An invalid file
// counts as absent, because the skill works without it.

import { join } from "node:path";
import { messageOf } from "../base/errors.ts";
import type { SkillDependencies, SkillInterface, SkillToolDependency } from "../protocol/generated/types.ts";
import { oneLine, tooLong } from "./front-matter.ts";
import { parseYaml } from "./yaml/parse-yaml.ts";
import {
  type LocatedNode,
  readBoolean,
  readFields,
  readList,
  readString,
  YamlError,
  yamlError,
} from "./yaml/yaml-node.ts";

const MAX_LABEL_LENGTH = 64;
const MAX_TEXT_LENGTH = 1024;
const PRODUCTS: readonly string[] = ["chatgpt", "codex", "atlas"];

export interface OpenaiYaml {
  readonly interface: SkillInterface | null;
  readonly dependencies: SkillDependencies | null;
  readonly allowImplicitInvocation: boolean;
  /** Whether the skill is intended for coding agents. */
  readonly forCodex: boolean;
}

export const NO_OPENAI_YAML: OpenaiYaml = {
  interface: null,
  dependencies: null,
  allowImplicitInvocation: true,
  forCodex: true,
};

export type OpenaiYamlResult =
  | { readonly ok: true; readonly value: OpenaiYaml }
  | { readonly ok: false; readonly message: string };

export function readOpenaiYaml(text: string, skillFolder: string): OpenaiYamlResult {
  try {
    const root = { text, path: "", node: parseYaml(text) };
    const file = readFields(root, "SkillMetadataFile", ["interface", "dependencies", "policy"]);
    const value = {
      interface: readInterface(file.interface, skillFolder),
      dependencies: readDependencies(file.dependencies),
      ...readPolicy(file.policy),
    };
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { ok: false, message: messageOf(error) };
  }
}

function readInterface(located: LocatedNode | undefined, skillFolder: string): SkillInterface | null {
  if (located === undefined) return null;
  const fields = readFields(located, "SkillInterfaceFile", [
    "display_name",
    "short_description",
    "icon_small",
    "icon_large",
    "brand_color",
    "default_prompt",
  ]);
  const view: SkillInterface = {
    displayName: shortText(fields.display_name, MAX_LABEL_LENGTH),
    shortDescription: shortText(fields.short_description, MAX_TEXT_LENGTH),
    iconSmall: iconPath(fields.icon_small, skillFolder),
    iconLarge: iconPath(fields.icon_large, skillFolder),
    iconSmallUrl: null,
    iconLargeUrl: null,
    brandColor: color(fields.brand_color),
    defaultPrompt: shortText(fields.default_prompt, MAX_TEXT_LENGTH),
  };
  return Object.values(view).every((value) => value === null) ? null : view;
}

function shortText(located: LocatedNode | undefined, limit: number): string | null {
  const text = oneLine(readString(located) ?? "");
  return text === "" || tooLong(text, limit) ? null : text;
}

/** An icon must lie in the skill's own `assets`. */
function iconPath(located: LocatedNode | undefined, skillFolder: string): string | null {
  const path = readString(located) ?? "";
  if (path.startsWith("/")) return null;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts[0] !== "assets" || parts.includes("..") ? null : join(skillFolder, ...parts);
}

function color(located: LocatedNode | undefined): string | null {
  const text = readString(located)?.trim() ?? "";
  return /^#[\da-f]{6}$/i.test(text) ? text : null;
}

function readDependencies(located: LocatedNode | undefined): SkillDependencies | null {
  if (located === undefined) return null;
  const { tools } = readFields(located, "Dependencies", ["tools"]);
  const found = readList(tools)
    .map(readTool)
    .filter((tool) => tool !== null);
  return found.length === 0 ? null : { tools: found };
}

function readTool(located: LocatedNode): SkillToolDependency | null {
  const fields = readFields(located, "DependencyTool", [
    "type",
    "value",
    "description",
    "transport",
    "command",
    "url",
  ]);
  const type = shortText(fields.type, MAX_LABEL_LENGTH);
  const value = shortText(fields.value, MAX_TEXT_LENGTH);
  const description = shortText(fields.description, MAX_TEXT_LENGTH);
  const transport = shortText(fields.transport, MAX_LABEL_LENGTH);
  const command = shortText(fields.command, MAX_TEXT_LENGTH);
  const url = shortText(fields.url, MAX_TEXT_LENGTH);
  if (type === null || value === null) return null;
  return {
    type,
    value,
    ...(description !== null && { description }),
    ...(transport !== null && { transport }),
    ...(command !== null && { command }),
    ...(url !== null && { url }),
  };
}

function readPolicy(
  located: LocatedNode | undefined,
): Pick<OpenaiYaml, "allowImplicitInvocation" | "forCodex"> {
  if (located === undefined) return { allowImplicitInvocation: true, forCodex: true };
  const fields = readFields(located, "Policy", ["allow_implicit_invocation", "products"]);
  const products = readList(fields.products).map(readProduct);
  return {
    allowImplicitInvocation: readBoolean(fields.allow_implicit_invocation) ?? true,
    forCodex: products.length === 0 || products.includes("codex"),
  };
}

function readProduct(located: LocatedNode): string {
  const name = readString(located) ?? "";
  const product = PRODUCTS.find((known) => name === known || name === known.toUpperCase());
  if (product === undefined) throw yamlError(located, `unknown variant \`${name}\``);
  return product;
}
