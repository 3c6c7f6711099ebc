/** Hooks that answer in place of the clients when permission is asked for. */
import type { PermissionSubject } from "../../tools/permission.ts";
import type { PermissionHooks } from "../permissions/permission-kind.ts";
import type { HookedTurn } from "./hook-report.ts";
import type { ThreadHooks } from "./thread-hooks.ts";

export function createPermissionHooks(hooks: ThreadHooks, turn: HookedTurn): PermissionHooks {
  return {
    async answer(subject) {
      const { call } = subject;
      const { verdict, stop } = await hooks.run(
        "PermissionRequest",
        { tool_name: call.name, tool_input: inputOf(subject) },
        { turn, aliases: call.aliases, files: call.files, suffix: suffixOf(subject) },
      );
      if (stop !== null) turn.advance({ type: "stop" });
      return verdict;
    },
  };
}

/** With the model's own words, where it gave any. */
function inputOf(subject: PermissionSubject): unknown {
  const { input } = subject.call;
  const reason = subject.kind === "command" ? subject.reason : null;
  return reason === null ? input : { ...(input as object), description: reason };
}

function suffixOf(subject: PermissionSubject): string {
  const id = "item" in subject ? subject.item.id : subject.itemId;
  return subject.kind === "command" && subject.afterDenial !== null ? `${id}:retry` : id;
}
