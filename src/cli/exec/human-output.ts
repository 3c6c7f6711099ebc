/** Human-readable output: progress on stderr, the last message on stdout. */
import { type Clock, startStopwatch } from "../../base/clock.ts";
import { version } from "../../base/environment.ts";
import type { SandboxPolicy, ThreadTokenUsage } from "../../protocol/generated/types.ts";
import type { Paint } from "../command-line/paint.ts";
import { openProgress, type Screen } from "../command-line/progress.ts";
import { toTerminalText } from "../command-line/terminal-text.ts";
import type { ExecSession } from "./exec-session.ts";
import type { ExecOutput } from "./follow-turn.ts";
import { activityLabel, renderNotice } from "./render-notice.ts";

export interface HumanOutputOptions {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly paint: Paint;
  readonly clock: Clock;
}

const TICK_MS = 1000;

export function createHumanOutput({ stdout, stderr, paint, clock }: HumanOutputOptions): ExecOutput {
  const watch = startStopwatch(clock);
  const progress = openProgress(stderr, () => clock.monotonic());
  let activity = "thinking";
  let shownDiff = "";
  const warned = new Set<string>();
  let cancelTick = () => {};

  const printLine = (text: string): void => {
    progress.end();
    stderr.write(`${text}\n`);
  };
  // Without a terminal nothing is drawn, and no timer runs.
  const tick = (): void => {
    if (stderr.isTTY !== true) return;
    progress.count(Math.round(watch.elapsedMs() / 1000), `seconds, ${activity}`);
    cancelTick = clock.after(TICK_MS, tick, { keepsAlive: false });
  };

  return {
    begin(session, prompt) {
      printLine(renderSession(session));
      printLine(`${paint.good("user")}\n${toTerminalText(prompt)}`);
      tick();
    },
    onNotice(notice) {
      if (notice.method === "turn/diff/updated") {
        // The server sends the diff after every step, even if it is unchanged.
        if (notice.params.diff === shownDiff) return;
        shownDiff = notice.params.diff;
      }
      activity = activityLabel(notice) ?? activity;
      const text = renderNotice(notice, paint);
      if (text === null) return;
      // Configuration warnings are sent on connect, and again when the thread starts.
      if (notice.method === "configWarning" || notice.method === "warning") {
        if (warned.has(text)) return;
        warned.add(text);
      }
      printLine(text);
    },
    end({ lastMessage, usage }) {
      cancelTick();
      if (usage !== null)
        printLine(`${paint.faint("tokens used")}\n${countTokens(usage).toLocaleString("en-US")}`);
      progress.end();
      // If both streams are terminals, the message has already been shown.
      const isShown = stdout.isTTY === true && stderr.isTTY === true;
      if (lastMessage === null || isShown) return;
      stdout.write(`${stdout.isTTY === true ? toTerminalText(lastMessage) : lastMessage}\n`);
    },
  };
}

function renderSession(session: ExecSession): string {
  const rows = [
    ["workdir", session.cwd],
    ["model", session.model],
    ["provider", session.modelProvider],
    ["approval", typeof session.approvalPolicy === "string" ? session.approvalPolicy : "granular"],
    ["sandbox", describeSandbox(session)],
    ["reasoning effort", session.reasoningEffort ?? "none"],
    ["session id", session.threadId],
  ];
  const lines = rows.map(([name, value = ""]) => toTerminalText(`${name}: ${value}`));
  return [`heddle ${version}`, "--------", ...lines, "--------"].join("\n");
}

const SANDBOX_NAMES: Readonly<Record<SandboxPolicy["type"], string>> = {
  dangerFullAccess: "danger-full-access",
  readOnly: "read-only",
  externalSandbox: "external",
  workspaceWrite: "workspace-write",
};

function describeSandbox({ sandbox, cwd, runtimeWorkspaceRoots }: ExecSession): string {
  if (sandbox.type !== "workspaceWrite") return SANDBOX_NAMES[sandbox.type];
  const others = [...runtimeWorkspaceRoots, ...(sandbox.writableRoots ?? [])].filter((root) => root !== cwd);
  const writable = [
    "workdir",
    ...(sandbox.excludeSlashTmp === true ? [] : ["/tmp"]),
    ...(sandbox.excludeTmpdirEnvVar === true ? [] : ["$TMPDIR"]),
    ...new Set(others),
  ];
  return `${SANDBOX_NAMES.workspaceWrite} [${writable.join(", ")}]`;
}

/** Excludes cached input tokens. */
function countTokens({ total }: ThreadTokenUsage): number {
  return Math.max(0, total.inputTokens - total.cachedInputTokens) + total.outputTokens;
}
