import { expect, test } from "vitest";
import type { Engine } from "../../engine/engine.ts";
import type { History } from "../../store/history/history.ts";
import { missingThread, type Refusal, refuse } from "../../store/history/refusal.ts";
import { noDetails, type ThreadEntry } from "../../store/history-index.ts";
import { noFacts } from "../../store/rollout/thread-facts.ts";
import { accept, isRefusal, readWholeHistory, showStored } from "./stored-threads.ts";

const ID = "0199aaaa-0000-7000-8000-000000000001";

test("a refusal of the history refuses the request, and a broken disk is the server's fault", () => {
  const refusal = (reason: "missing" | "disk") => ({ kind: "refused", reason, message: "no" }) as const;
  expect(accept({ kind: "done" })).toEqual({ kind: "done" });
  expect([isRefusal(refusal("missing")), isRefusal({ kind: "done" }), isRefusal({})]).toEqual([
    true,
    false,
    false,
  ]);
  expect(() => accept(refusal("missing"))).toThrow(
    expect.objectContaining({ code: "invalidRequest", message: "no" }),
  );
  expect(() => accept(refusal("disk"))).toThrow(
    expect.objectContaining({ code: "unavailable", message: "no" }),
  );
});

test("an agent has the name that its source gives it", () => {
  const spawn = { parent_thread_id: ID, depth: 1, agent_path: null, agent_nickname: "Ada", agent_role: null };
  const entry: ThreadEntry = {
    details: noDetails,
    row: {
      rolloutId: ID,
      threadId: ID,
      path: "/rollout.jsonl",
      archived: false,
      fileTime: "2026-01-05T12-00-01",
      size: 1,
      inode: 1,
      mtimeMs: 1,
      indexedBytes: 1,
      base: null,
      sourceKind: "subAgentThreadSpawn",
      createdOrderMs: 0,
      recencyAtMs: 1,
      facts: { ...noFacts, id: ID, source: { subAgent: { thread_spawn: spawn } } },
    },
  };
  const engine: Pick<Engine, "find"> = { find: () => undefined };
  expect(showStored(engine, entry)).toMatchObject({
    id: ID,
    agentNickname: "Ada",
    agentRole: null,
    source: { subAgent: { thread_spawn: spawn } },
    status: { type: "notLoaded" },
  });
});

const refusing = (refusal: Refusal) => ({ turns: async () => refusal }) as unknown as History;

test("a thread that has no file yet is empty, and one that cannot be read is not", async () => {
  expect(await readWholeHistory(refusing(missingThread("t")), "t")).toEqual([]);
  const unreadable = refusing(refuse("unreadable", "line 3 cannot be read"));
  await expect(readWholeHistory(unreadable, "t")).rejects.toThrow("line 3 cannot be read");
});
