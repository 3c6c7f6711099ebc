/** What people see of a turn: the work on stderr as it happens, the last message on stdout. */
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
  let doing = "thinking";
  let shownDiff = "";
  const warned = new Set<string>();
  let cancelTick = () => {};

  const say = (text: string): void => {
    progress.end();
    stderr.write(`${text}\n`);
  };
  // Where nobody watches, nothing is drawn, and no timer runs.
  const tick = (): void => {
    if (stderr.isTTY !== true) return;
    progress.count(Math.round(watch.elapsedMs() / 1000), `seconds, ${doing}`);
    cancelTick = clock.after(TICK_MS, tick, { keepsAlive: false });
  };

  return {
    begin(session, prompt) {
      say(renderSession(session));
      say(`${paint.good("user")}\n${toTerminalText(prompt)}`);
      tick();
    },
    hear(notice) {
      if (notice.method === "turn/diff/updated") {
        // It is told after every step, also where nothing has changed.
        if (notice.params.diff === shownDiff) return;
        shownDiff = notice.params.diff;
      }
      doing = activityLabel(notice) ?? doing;
      const text = renderNotice(notice, paint);
      if (text === null) return;
      // What is wrong with the configuration is told to the client, and once more with the thread.
      if (notice.method === "configWarning" || notice.method === "warning") {
        if (warned.has(text)) return;
        warned.add(text);
      }
      say(text);
    },
    end({ lastMessage, usage }) {
      cancelTick();
      if (usage !== null) say(`${paint.faint("tokens used")}\n${countTokens(usage).toLocaleString("en-US")}`);
      progress.end();
      // On one screen it has been read already.
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
  const places = [
    "workdir",
    ...(sandbox.excludeSlashTmp === true ? [] : ["/tmp"]),
    ...(sandbox.excludeTmpdirEnvVar === true ? [] : ["$TMPDIR"]),
    ...new Set(others),
  ];
  return `${SANDBOX_NAMES.workspaceWrite} [${places.join(", ")}]`;
}

/** Without what the provider had in its cache. */
function countTokens({ total }: ThreadTokenUsage): number {
  return Math.max(0, total.inputTokens - total.cachedInputTokens) + total.outputTokens;
}
