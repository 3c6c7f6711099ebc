import { isPlainObject, ownMember } from "../text/json.ts";
import type { JsonObject } from "../vocabulary/result.ts";

/** What is rendered for a harness that calls plugins in its own process: what they are to do with their output. */
export interface Mutation {
  /** To refuse, with the reason. */
  readonly throw?: string;
  /** Members that get another value. */
  readonly set?: JsonObject;
  /** Lists that get one more. */
  readonly push?: JsonObject;
  /** Texts that get longer. */
  readonly append?: JsonObject;
}

/** Does to the output of a plugin what was rendered. Throws where that refuses. */
export function applyMutation(output: Record<string, unknown>, body: JsonObject): void {
  const refusal = ownMember(body, "throw");
  if (typeof refusal === "string") throw new Error(refusal);
  for (const [name, value] of membersOf(body, "set")) output[name] = value;
  for (const [name, value] of membersOf(body, "push")) {
    const list = ownMember(output, name);
    if (Array.isArray(list)) list.push(value);
    else output[name] = [value];
  }
  for (const [name, value] of membersOf(body, "append")) {
    const text = ownMember(output, name);
    output[name] = typeof text === "string" && text !== "" ? `${text}\n${String(value)}` : value;
  }
}

/** A member of this name would change what the output is. */
function membersOf(body: JsonObject, part: keyof Mutation): [string, unknown][] {
  const members = ownMember(body, part);
  return isPlainObject(members) ? Object.entries(members).filter(([name]) => name !== "__proto__") : [];
}
