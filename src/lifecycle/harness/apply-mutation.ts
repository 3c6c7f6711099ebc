import { isPlainObject, ownMember } from "../text/json.ts";
import type { JsonObject } from "../vocabulary/result.ts";

/** What is rendered for a harness that calls plugins in its own process: what they are to do with their output. */
export interface Mutation {
  /** To refuse, with the reason. */
  readonly throw?: string;
  /** Members that get another value. */
  readonly set?: JsonObject;
  /** Objects that stay what they are and get other members: the harness holds on to them. */
  readonly assign?: JsonObject;
  /** Lists that get one more. */
  readonly push?: JsonObject;
  /** One more of `parts`, with the ids of the message that it belongs to. */
  readonly part?: JsonObject;
  /** Texts that get longer. */
  readonly append?: JsonObject;
}

/** Does to the output of a plugin what was rendered. Throws where that refuses. */
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

/** A part without ids of its own ends the prompt. Parts are in the order of their ids, so it stands behind the last. */
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

/** A member of this name would change what the object is. */
function safeEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([name]) => name !== "__proto__");
}
