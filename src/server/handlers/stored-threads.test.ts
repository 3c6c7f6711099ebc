import { expect, test } from "vitest";
import { isRefusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { noFacts } from "../../store/lines/thread-facts.ts";
import { missingThread, type StoreRefusal, storeRefusal } from "../../store/refusal.ts";
import { noDetails, type StoredThread, type ThreadStore } from "../../store/thread-store.ts";
import { unwrapStored } from "../connections/handler.ts";
import { readWholeHistory, showStored } from "./stored-threads.ts";

const ID = "0199aaaa-0000-7000-8000-000000000001";

test("a refusal of the history refuses the request, and a broken disk is the server's fault", () => {
  const refusal = (reason: "missing" | "disk") => ({ kind: "refused", reason, message: "no" }) as const;
  expect(unwrapStored({ kind: "done" })).toEqual({ kind: "done" });
  expect([isRefusal(refusal("missing")), isRefusal({ kind: "done" }), isRefusal({})]).toEqual([
    true,
    false,
    false,
  ]);
  expect(() => unwrapStored(refusal("missing"))).toThrow(
    expect.objectContaining({ code: errorCodes.invalidRequest, message: "no" }),
  );
  expect(() => unwrapStored(refusal("disk"))).toThrow(
    expect.objectContaining({ code: errorCodes.internalError, message: "no" }),
  );
});

test("an agent has the name that its source gives it", () => {
  const spawn = { parent_thread_id: ID, depth: 1, agent_path: null, agent_nickname: "Ada", agent_role: null };
  const entry: StoredThread = {
    details: noDetails,
    threadId: ID,
    archived: false,
    recencyAtMs: 1,
    facts: { ...noFacts, id: ID, source: { subAgent: { thread_spawn: spawn } } },
    location: "/rollout.jsonl",
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

const refusing = (refusal: StoreRefusal) => ({ turns: async () => refusal }) as unknown as ThreadStore;

test("a thread that has no file yet is empty, and one that cannot be read is not", async () => {
  expect(await readWholeHistory(refusing(missingThread("t")), "t")).toEqual([]);
  const unreadable = refusing(storeRefusal("unreadable", "line 3 cannot be read"));
  await expect(readWholeHistory(unreadable, "t")).rejects.toThrow("line 3 cannot be read");
});
