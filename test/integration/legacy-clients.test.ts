import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import type { ReviewDecision } from "../../src/protocol/index.ts";
import { createTempHome } from "../support/temp-home.ts";

/** A client of the first protocol generation that answers every approval with one decision. */
async function runTurn(text: string, decision: ReviewDecision) {
  const folders = await createTempHome({ config: "" });
  onTestFinished(() => folders.remove());
  const heddle = await createHeddle({
    home: folders.home,
    cwd: folders.workspace,
    env: { HOME: folders.user, PATH: process.env["PATH"] ?? "" },
  });
  onTestFinished(() => heddle.close());
  const client = await heddle.connect({ capabilities: { legacyApprovals: true } });
  const asked: unknown[] = [];
  const answer = (params: unknown) => {
    asked.push(params);
    return { decision };
  };
  client.answer("execCommandApproval", answer);
  client.answer("applyPatchApproval", answer);
  const { thread } = await client.thread.start({ sandbox: "read-only", approvalPolicy: "untrusted" });
  const { status } = await client.runTurn({ threadId: thread.id, input: [{ type: "text", text }] });
  const file = join(folders.workspace, "made.txt");
  return { asked, status, made: existsSync(file), thread: thread.id, file };
}

describe("a client of the first generation", () => {
  test.each([
    ["approved", "completed", true],
    ["approved_for_session", "completed", true],
    ["denied", "completed", false],
    ["abort", "interrupted", false],
  ] as const)("that says %s to a patch leaves the turn %s", async (decision, status, made) => {
    const outcome = await runTurn("create made.txt", decision);
    expect(outcome).toMatchObject({ status, made });
    expect(outcome.asked).toEqual([
      {
        conversationId: outcome.thread,
        callId: expect.any(String),
        fileChanges: {
          [outcome.file]: { type: "add", content: "This file was made by the demo model.\n" },
        },
      },
    ]);
  });

  test("is asked about a command by its words", async () => {
    const { asked, status, made } = await runTurn("run touch made.txt", "denied");
    expect({ status, made }).toEqual({ status: "completed", made: false });
    expect(asked).toEqual([
      expect.objectContaining({
        command: expect.arrayContaining(["touch made.txt"]),
        cwd: expect.any(String),
      }),
    ]);
  });
});
