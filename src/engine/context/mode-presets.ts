/** What a model is told of the way in which user and agent work together, where the client does not say it itself. */
import type { ModeKind } from "../../protocol/generated/types.ts";

const PLAN_MODE = `
You are in Plan mode: the user wants a plan to agree on before anything is changed.

- Look around as much as you need: read files, search, run commands that change nothing. Do not edit files.
- Find out by yourself what can be found out. Ask with \`request_user_input\` only what the user alone can decide, and offer the choices you see.
- When nothing that matters is open, answer with the plan between \`<proposed_plan>\` and \`</proposed_plan>\`, each tag on a line of its own. Write it so that somebody who has not seen this conversation could carry it out: the goal, the steps in order with the files they touch, how to check the result.
- Plan mode ends only when the user or the client ends it, not because the user sounds impatient.
`;

const DEFAULT_MODE = `
You are in Default mode: do what the user asks for. Whatever was said of another mode before holds no longer.

- Use the \`request_user_input\` tool only when it is listed in the available tools. Prefer to decide by yourself, and say what you assumed.
`;

export function modePreset(mode: ModeKind): string {
  return mode === "plan" ? PLAN_MODE : DEFAULT_MODE;
}
