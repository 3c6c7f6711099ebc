/** A decision in words: what it is about, what came of it, and who or what decided. */
import type { Decision } from "../../protocol/generated/types.ts";
import { describeCause } from "./describe-question.ts";
import type { Words } from "./describe-queue.ts";
import { withoutShell } from "./without-shell.ts";

/** The subject of the question. */
export function whatOf(decision: Decision): { text: string; isCode: boolean } {
  const { kind, command, paths, server, tool, permissions } = decision;
  switch (kind) {
    case "command":
      return command === null
        ? { text: "A command", isCode: false }
        : { text: withoutShell(command), isCode: true };
    case "fileChange":
      return paths === null || paths.length === 0
        ? { text: "A change of files", isCode: false }
        : { text: paths.join("\n"), isCode: true };
    case "mcpTool":
      return { text: `${server ?? "a server"}.${tool ?? "a tool"}`, isCode: true };
    case "permissions":
      return { text: permissions === null ? "More permissions" : permissionText(permissions), isCode: false };
  }
}

function permissionText({ network, read, write }: NonNullable<Decision["permissions"]>): string {
  const parts = [
    network ? "network" : null,
    read.length > 0 ? `read ${read.join(", ")}` : null,
    write.length > 0 ? `write ${write.join(", ")}` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "More permissions" : `Permission: ${parts.join("; ")}`;
}

export function describeOutcome({ verdict }: Pick<Decision, "verdict">): Words {
  switch (verdict?.outcome) {
    case undefined:
      return { words: "open", tone: "warn", icon: "clock" };
    case "approved":
      return { words: "approved", tone: "ok", icon: "ok" };
    case "denied":
      return { words: "denied", tone: "bad", icon: "x" };
    case "cancelled":
      return { words: "cancelled", tone: "", icon: "stop" };
  }
}

/** Who decided, without the details. */
export function deciderOf({ verdict, rule }: Pick<Decision, "verdict" | "rule">): string {
  if (verdict === null) return "not decided yet";
  const { kind, name, subject } = verdict.by;
  switch (kind) {
    case "client":
      return [subject, name].filter((part) => part !== null && part !== "").join(", ") || "a client";
    case "rule":
      return rule === null ? "a rule" : `rule ${rule.pattern.join(" ")}`;
    case "policy":
      return "the policy";
    case "hook":
      return name === null ? "a hook" : `hook ${name}`;
    case "sessionGrant":
      return "allowed before in this thread";
    case "timeOut":
      return "nobody answered in time";
    case "interruption":
      return "the turn was interrupted";
    case "failure":
      return "the question could not be asked";
  }
}

/** Why it was asked, where the rule stands, and what the decider said. */
export function detailsOf({ verdict, rule, cause }: Decision): readonly string[] {
  const told = verdict?.reason ?? null;
  const isByRule = verdict?.by.kind === "rule" && rule !== null;
  return [
    ...(isByRule && rule.file !== null ? [rule.file] : []),
    ...(told === null || told === "" ? [] : [`“${told}”`]),
    ...describeCause({ cause, reason: null }),
  ];
}
