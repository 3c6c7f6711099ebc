import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createPaint } from "../command-line/paint.ts";
import type { ExecSession } from "./exec-session.ts";
import { createHumanOutput } from "./human-output.ts";

const CLEAR = "\r\u001B[K";
const session: ExecSession = {
  threadId: "id",
  model: "m",
  modelProvider: "p",
  cwd: "/w",
  approvalPolicy: "never",
  sandbox: {
    type: "workspaceWrite",
    writableRoots: ["/r"],
    excludeSlashTmp: true,
    excludeTmpdirEnvVar: false,
  },
  reasoningEffort: null,
  runtimeWorkspaceRoots: ["/w", "/x"],
};
const tokens = {
  totalTokens: 0,
  inputTokens: 2000,
  cachedInputTokens: 500,
  cacheWriteInputTokens: 0,
  outputTokens: 100,
  reasoningOutputTokens: 0,
};
const usage = { total: tokens, last: tokens, modelContextWindow: null };

function open(isTTY: { readonly stdout: boolean; readonly stderr: boolean }) {
  const written = { stdout: "", stderr: "" };
  const screen = (name: "stdout" | "stderr") => ({
    isTTY: isTTY[name],
    columns: 60,
    write: (text: string) => (written[name] += text),
  });
  const clock = createFakeClock();
  const output = createHumanOutput({
    stdout: screen("stdout"),
    stderr: screen("stderr"),
    paint: createPaint(false),
    clock,
  });
  return { output, clock, written };
}
const message = (text: string) =>
  ({
    method: "item/completed",
    params: {
      threadId: "id",
      turnId: "t",
      completedAtMs: 0,
      item: {
        type: "agentMessage",
        id: "i",
        text,
        phase: null,
        memoryCitation: null,
        delivery: null,
        questions: null,
      },
    },
  }) as const;

test("a terminal shows the current activity below permanent lines", () => {
  const { output, clock, written } = open({ stdout: true, stderr: true });
  output.begin(session, "Go");
  expect(written.stderr.endsWith(`user\nGo\n${CLEAR}0  seconds, thinking`)).toBe(true);
  expect(written.stderr).toContain("\nsandbox: workspace-write [workdir, $TMPDIR, /x, /r]\n");
  written.stderr = "";
  clock.advance(1000);
  expect(written.stderr).toBe(`${CLEAR}1  seconds, thinking`);
  output.onNotice(message("Hi\u001b[2J"));
  expect(written.stderr.endsWith(`${CLEAR}heddle\nHi\\u{1b}[2J\n`)).toBe(true);
  written.stderr = "";
  output.end({ status: "completed", lastMessage: "Hi", usage });
  expect(written).toEqual({ stdout: "", stderr: "tokens used\n1,600\n" });
  clock.advance(5000);
  expect(written.stderr).toBe("tokens used\n1,600\n");
});

test.each([
  [{ stdout: false, stderr: true }, "a\tb\u001b[2J\n"],
  [{ stdout: false, stderr: false }, "a\tb\u001b[2J\n"],
  [{ stdout: true, stderr: false }, "a    b\\u{1b}[2J\n"],
])("the last message is on stdout where it has not been read yet: %j", (isTTY, stdout) => {
  const { output, written } = open(isTTY);
  output.end({ status: "completed", lastMessage: "a\tb\u001b[2J", usage: null });
  expect(written.stdout).toBe(stdout);
});

test("a pipe receives lines only, and a diff only if it has changed", () => {
  const { output, clock, written } = open({ stdout: false, stderr: false });
  const diff = (text: string) =>
    output.onNotice({ method: "turn/diff/updated", params: { threadId: "id", turnId: "t", diff: text } });
  output.begin(session, "Go");
  written.stderr = "";
  clock.advance(3000);
  for (const text of ["", "+a\n", "+a\n", "+a\n+b\n", ""]) diff(text);
  output.end({ status: "failed", lastMessage: null, usage: null });
  expect(written).toEqual({ stdout: "", stderr: "+a\n+a\n+b\n" });
});

test("a repeated warning is shown once, with the product name Heddle", () => {
  const { output, written } = open({ stdout: false, stderr: false });
  const text = "Codex is ignoring 1 unrecognized configuration setting.";
  output.onNotice({ method: "configWarning", params: { summary: text, details: null } });
  output.onNotice({ method: "warning", params: { threadId: "id", message: text } });
  output.onNotice({ method: "warning", params: { threadId: "id", message: "another" } });
  expect(written.stderr).toBe(
    "warning: Heddle is ignoring 1 unrecognized configuration setting.\nwarning: another\n",
  );
});
