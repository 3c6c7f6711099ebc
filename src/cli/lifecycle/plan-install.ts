/** Plans the change of a harness's hook file for an installation, and the edits that revert it. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { addElement, applyEdits, removeElements, removeMember, type TextEdit } from "./edit-json.ts";
import type { HarnessHooks } from "./harness-hooks.ts";
import { type JsonNode, memberOf, outlineJson } from "./json-outline.ts";

export interface Plan {
  /** Null where there is no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** The hooks whose entries are added or removed. */
  readonly hooks: readonly string[];
  /** The edits that restore the text; null where there was no file. */
  readonly undo: readonly TextEdit[] | null;
  /** The hooks whose lists were created. */
  readonly made: readonly string[];
}

/** The record of an installation, including earlier ones of the same command. */
export interface Installation extends Pick<Plan, "hooks" | "made"> {
  /** The digest of the text after the installation. */
  readonly digest: string;
  /** The edits that restore the text, newest installation first; null where there was no file. */
  readonly undo: readonly (readonly TextEdit[])[] | null;
}

export type PlanOutcome =
  | ({ readonly kind: "planned" } & Plan)
  | { readonly kind: "refused"; readonly reason: string };

type JsonHooks = Extract<HarnessHooks, { kind: "json" }>;

export function planInstall(
  harness: HarnessHooks,
  command: string,
  hooks: readonly string[],
  before: string | null,
): PlanOutcome {
  if (harness.kind === "json") return planEntries(harness, command, hooks, before);
  const after = harness.write(command, hooks);
  if (before === after) return planned({ before, after });
  if (before !== null) return refused("it contains the plugin of another installation: uninstall that first");
  return planned({ before, after, hooks, undo: null });
}

function planEntries(
  harness: JsonHooks,
  command: string,
  hooks: readonly string[],
  before: string | null,
): PlanOutcome {
  let text = before ?? `${JSON.stringify(harness.fresh, null, 2)}\n`;
  const added: string[] = [];
  const made: string[] = [];
  let undo: readonly TextEdit[] = [];
  for (const hook of hooks) {
    const root = outlineJson(text);
    if (typeof root === "string") return refused(root);
    const list = listOf(root, hook);
    if (removeElements(list, isOurs(harness, command, hook)).length > 0) continue;
    const edit = addElement(text, root, ["hooks", hook], harness.entry(command, hook));
    if (edit === null) return refused(`\`hooks.${hook}\` is not a list`);
    undo = combineUndo(undo, edit, text.slice(edit.at, edit.at + edit.length));
    text = applyEdits(text, [edit]);
    added.push(hook);
    if (list === undefined) made.push(hook);
  }
  if (added.length === 0) return planned({ before, after: before });
  return planned({ before, after: text, hooks: added, made, undo: before === null ? null : undo });
}

/** Combines the undo of an edit with that of earlier ones; positions refer to the text after all of them. */
function combineUndo(undo: readonly TextEdit[], edit: TextEdit, replaced: string): readonly TextEdit[] {
  const grown = edit.text.length - edit.length;
  const end = edit.at + edit.length;
  const around = undo.find(({ at, length }) => at <= edit.at && end <= at + length);
  const moved = undo.map((each) => {
    if (each === around) return { ...each, length: each.length + grown };
    return each.at >= end ? { ...each, at: each.at + grown } : each;
  });
  return around === undefined ? [...moved, { at: edit.at, length: edit.text.length, text: replaced }] : moved;
}

/** Restores an unchanged file byte for byte; otherwise removes our entries and nothing else. */
export function planUninstall(
  harness: HarnessHooks,
  command: string,
  before: string | null,
  known: Installation | null,
): PlanOutcome {
  if (before === null) return planned({ before, after: before });
  if (known !== null && isUnchanged(before, known)) {
    const after = known.undo?.reduce(applyEdits, before) ?? null;
    return planned({ before, after, hooks: known.hooks });
  }
  if (harness.kind === "json") return planRemoval(harness, command, before, known?.made ?? []);
  const isOurs = before.includes(JSON.stringify(command));
  return isOurs
    ? refused("the plugin was changed since it was written: remove it by hand")
    : planned({ before, after: before });
}

function planRemoval(
  harness: JsonHooks,
  command: string,
  before: string,
  made: readonly string[],
): PlanOutcome {
  const first = outlineJson(before);
  if (typeof first === "string") return refused(first);
  const lists = memberOf(first, "hooks");
  let text = before;
  const removed: string[] = [];
  for (const { key: hook } of lists?.kind === "object" ? lists.members : []) {
    const root = outlineJson(text);
    if (typeof root === "string") return refused(root);
    const list = listOf(root, hook);
    const edits = removeElements(list, isOurs(harness, command, hook));
    if (edits.length === 0) continue;
    const isLeftEmpty = list?.kind === "array" && list.elements.length === edits.length;
    const edited = isLeftEmpty && made.includes(hook) ? removeMember(memberOf(root, "hooks"), hook) : edits;
    text = applyEdits(text, edited);
    removed.push(hook);
  }
  return planned({ before, after: text, hooks: removed });
}

/** The record of an executed plan, combined with the earlier record. */
export function remember(
  { before, after, hooks, undo, made }: Plan,
  known: Installation | null,
): Installation {
  const earlier = known !== null && before !== null && isUnchanged(before, known) ? known : null;
  return {
    digest: digestOf(after ?? ""),
    hooks: [...(earlier?.hooks ?? []), ...hooks],
    made: [...(earlier?.made ?? []), ...made],
    undo: undo === null || earlier?.undo === null ? null : [undo, ...(earlier?.undo ?? [])],
  };
}

function isUnchanged(text: string, { digest }: Installation): boolean {
  return digest === digestOf(text);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function listOf(root: JsonNode, hook: string): JsonNode | undefined {
  return memberOf(memberOf(root, "hooks"), hook);
}

/** An entry that the user has changed is not ours. */
function isOurs(harness: JsonHooks, command: string, hook: string): (entry: unknown) => boolean {
  const ours = harness.entry(command, hook);
  return (entry) => isDeepStrictEqual(entry, ours);
}

function planned(plan: Pick<Plan, "before" | "after"> & Partial<Plan>): PlanOutcome {
  return { kind: "planned", hooks: [], undo: [], made: [], ...plan };
}

function refused(reason: string): PlanOutcome {
  return { kind: "refused", reason };
}
