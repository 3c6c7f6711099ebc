/** Compares the hook inputs that the workbench rebuilds from a stored thread with the real ones. */
import { expect, test } from "vitest";
import { readRecordedIn } from "../../src/cli/hooks/local-workbench.ts";
import { buildInput } from "../../src/hooks/workbench/build-input.ts";
import { rebuildEvents } from "../../src/hooks/workbench/recorded-events.ts";
import { openHookHarness } from "../support/hook-harness.ts";
import {
  customCallDone,
  functionCallDone,
  messageReply,
  reply,
  unfinishedReply,
} from "../support/model-events.ts";
import { SESSION } from "../support/scripted-model.ts";

const PATCH = "*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch";

const TYPED = { cmd: "read line; echo got $line", tty: true, yield_time_ms: 250 };
const ESCALATED = { cmd: "echo hi", justification: "because", sandbox_permissions: "require_escalated" };

/** JSON with sorted members. */
const sorted = (input: object) =>
  JSON.stringify(Object.entries(input).sort(([one], [other]) => one.localeCompare(other)));

test("every event of a thread is rebuilt as it was told", async () => {
  const harness = await openHookHarness({
    hasMcp: true,
    thread: { model: "gpt-5.5" },
    replies: [
      reply("1", functionCallDone("call_1", "exec_command", ESCALATED)),
      reply("2", customCallDone("call_2", "apply_patch", PATCH)),
      reply("3", {
        type: "response.output_item.done",
        item: {
          type: "function_call",
          call_id: "call_3",
          name: "echo",
          namespace: "mcp__memo",
          arguments: '{"message":"hi"}',
        },
      }),
      reply("refused", functionCallDone("call_4", "exec_command", { cmd: "true", justification: "alone" })),
      reply("5", functionCallDone("call_5", "exec_command", TYPED)),
      reply(
        "6",
        functionCallDone("call_6", "write_stdin", {
          session_id: SESSION,
          chars: "it\n",
          yield_time_ms: 5000,
        }),
      ),
      messageReply("Half", { id: "4" }),
      messageReply("Done", { id: "5" }),
      messageReply("SUMMARY", { id: "6" }),
      messageReply("Again", { id: "7" }),
      unfinishedReply("Working on"),
    ],
    also: {
      Stop: `grep -q '"stop_hook_active":true' || { [ -e once ] || { touch once; echo on >&2; exit 2; } }`,
    },
  });
  const { client, threadId, folders, say, ended, hookInputs } = harness;
  await say("Go");
  const compacted = ended();
  await client.request("thread/compact/start", { threadId });
  await compacted;
  await say("More");
  const interrupted = ended();
  const begun = new Promise<void>((resolve) => {
    client.on("item/agentMessage/delta", () => resolve());
  });
  const { turn } = await client.turn.start({ threadId, input: [{ type: "text", text: "Wait" }] });
  await begun;
  await client.turn.interrupt({ threadId, turnId: turn.id });
  await interrupted;
  await client.thread.archive({ threadId });

  const { turns, transcriptPath, isFork } = await readRecordedIn(folders.home, threadId);
  const rebuilt = rebuildEvents(turns, { isFork }).map(({ event, members, turnId, settings }) => {
    const known = { cwd: folders.workspace, model: "?", threadId, turnId, transcriptPath, ...settings };
    const made = buildInput(event, members, known);
    return made.ok ? made.input : made.faults;
  });
  // The thread's file has moved since; an interrupted request is not recorded.
  const comparable = (inputs: readonly object[]) =>
    inputs
      .map((input) => sorted({ ...input, transcript_path: null }))
      .filter((text) => !(text.includes('"PreModelRequest"') && text.includes(turn.id)))
      .sort();
  expect(comparable(rebuilt)).toEqual(comparable(hookInputs()));
  const events = new Set(hookInputs().map(({ hook_event_name }) => hook_event_name));
  expect(events.size).toBe(12);
});
