import { isPlainObject, ownMember } from "../text/json.ts";
import type { JsonObject } from "../vocabulary/result.ts";

/**
 * The rendered body for a harness that calls plugins in its own process: the changes that a plugin makes to its output.
 */
export interface Mutation {
  /** The reason of a denial, which the plugin throws. */
  readonly throw?: string;
  /** Members to replace. */
  readonly set?: JsonObject;
  /** Objects whose members are replaced in place, because the harness keeps a reference to the object. */
  readonly assign?: JsonObject;
  /** Values to append to lists. */
  readonly push?: JsonObject;
  /** A part to append to `parts`, with the ids of its message. */
  readonly part?: JsonObject;
  /** Texts to append to texts. */
  readonly append?: JsonObject;
}

/** Applies a rendered body to the output of a plugin. Throws where the body denies. */
export function applyMutation(output: Record<string, unknown>, body: JsonObject): void {
  const refusal = ownMember(body, "throw");
  if (typeof refusal === "string") throw new Error(refusal);
  for (const [name, value] of membersOf(body, "set")) output[name] = value;
  for (const [name, value] of membersOf(body, "assign")) {
    const held = ownMember(output, name);
    if (isPlainObject(held) && isPlainObject(value)) replaceMembers(held, value);
    else output[name] = value;
  }
  for (const [name, value] of membersOf(body, "push")) {
    const list = ownMember(output, name);
    if (Array.isArray(list)) list.push(value);
    else output[name] = [value];
  }
  const part = ownMember(body, "part");
  if (isPlainObject(part)) pushPart(output, part);
  for (const [name, value] of membersOf(body, "append")) {
    const text = ownMember(output, name);
    output[name] = typeof text === "string" && text !== "" ? `${text}\n${String(value)}` : value;
  }
}

function replaceMembers(held: Record<string, unknown>, value: object): void {
  for (const name of Object.keys(held)) delete held[name];
  for (const [name, member] of safeEntries(value)) held[name] = member;
}

/** OpenCode ends the prompt for a part without ids. It sorts parts by id, so this one sorts behind the last. */
function pushPart(output: Record<string, unknown>, part: object): void {
  const given = ownMember(output, "parts");
  const parts: unknown[] = Array.isArray(given) ? given : [];
  if (parts !== given) output["parts"] = parts;
  const message = ownMember(output, "message");
  const last = ownMember(parts.at(-1), "id");
  parts.push({
    ...Object.fromEntries(safeEntries(part)),
    id: `${typeof last === "string" ? last : "prt"}_heddle`,
    sessionID: ownMember(message, "sessionID"),
    messageID: ownMember(message, "id"),
  });
}

function membersOf(body: JsonObject, kind: keyof Mutation): [string, unknown][] {
  const members = ownMember(body, kind);
  return isPlainObject(members) ? safeEntries(members) : [];
}

/** Assigning `__proto__` would change the prototype. */
function safeEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([name]) => name !== "__proto__");
}
