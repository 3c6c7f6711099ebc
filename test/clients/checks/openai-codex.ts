/**
 * The Python SDK of Codex. Its checks are written in Python, beside this file; this file has the model's
 * replies.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { messageReply, streamedReply, unfinishedReply } from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Check, Client } from "../client.ts";
import { escalatingReplies, FAILED_REPLY } from "../model-replies.ts";

const PROGRAM = join(process.cwd(), "test", "clients", "checks", "openai-codex.py");

function check(name: string, checked: string, replies?: readonly ModelReply[]): Check {
  return {
    name,
    ...(replies !== undefined && { replies }),
    async run({ start, executable, folder }) {
      const env = { PYTHONPATH: folder, CODEX_BIN: executable, PYTHONDONTWRITEBYTECODE: "1" };
      const child = start("python3", [PROGRAM, checked], env);
      const { code } = await child.exit;
      assert.equal(code, 0, child.stderr.trim() || `it ended with ${code}`);
    },
  };
}

export const openaiCodex: Client = {
  name: "openai-codex",
  version: "0.163.0",
  source: {
    kind: "pip",
    packages: [
      "openai-codex==0.163.0",
      "pydantic==2.12.5",
      "pydantic-core==2.41.5",
      "annotated-types==0.8.0",
      "typing-extensions==4.16.0",
      "typing-inspection==0.4.5",
      "packaging==26.2",
    ],
  },
  needs: ["python3"],
  checks: [
    check("threads: list, read, name, fork, archive, resume", "threads"),
    check("run", "run"),
    check("streaming", "stream", [streamedReply(["One ", "two ", "three"])]),
    check("three threads at once", "asynchronous"),
    check("an approval", "approval", escalatingReplies("echo from-outside")),
    check("steer", "steer", [unfinishedReply("I begin"), messageReply("I have heard of it", { id: "2" })]),
    check("interrupt", "interrupt", [unfinishedReply("I begin")]),
    check("a failed turn", "failure", [FAILED_REPLY]),
    check("a goal that is set and cleared", "goal"),
  ],
};
