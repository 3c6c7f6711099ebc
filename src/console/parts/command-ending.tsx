/** How a command ended; nothing where it went as expected. */
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { Icon } from "../ui/icon.tsx";

type Command = Extract<ThreadItem, { type: "commandExecution" }>;

export function CommandEnding({ status, exitCode }: Pick<Command, "status" | "exitCode">) {
  if (status === "inProgress")
    return (
      <span class="chip run">
        <span class="spin" />
        runs
      </span>
    );
  if (status === "declined")
    return (
      <span class="chip warn">
        <Icon name="x" />
        declined
      </span>
    );
  if (exitCode === 0 || (exitCode === null && status === "completed")) return null;
  return (
    <span class="chip bad">
      <Icon name="x" />
      {exitCode === null ? "failed" : `exit ${exitCode}`}
    </span>
  );
}
