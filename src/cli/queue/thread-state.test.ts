import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { originWith, turnLines } from "../../store/contract/store-harness.fixture.ts";
import { createMemory, createMemoryStore } from "../../store/memory/memory-store.ts";
import { readThreadState } from "./thread-state.ts";

test("the state of a thread shows its holder, its running turn, and an open question", async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 18));
  const createId = createUuidSource(clock);
  const memory = createMemory();
  const [server, cli] = ["server", "command line"].map((owner) =>
    createMemoryStore(memory, { clock, owner }),
  );
  if (server === undefined || cli === undefined) throw new Error("there are two");
  const journal = server.threads.create(originWith({ now: clock.now(), createId }));
  const { threadId } = journal;
  const [begun, ...rest] = turnLines(threadId, "turn", "Go", "Done");
  if (begun === undefined) throw new Error("a turn has lines");
  await journal.append([begun]);
  expect(await readThreadState(cli, threadId)).toEqual({ kind: "loaded", turnId: "turn", isAsking: false });
  const { fence } = journal;
  if (fence === null) throw new Error("it is held");
  const subject = { kind: "command", argv: ["touch", "made"], cwd: "/" } as const;
  const request = { threadId, turnId: "turn", itemId: "item", subject };
  const asked = await server.decisions.open(fence, request);
  expect(await readThreadState(cli, threadId)).toEqual({ kind: "loaded", turnId: "turn", isAsking: true });
  if (asked.kind !== "kept") throw new Error("it is kept");
  const verdict = { outcome: "denied", by: { kind: "policy" }, reason: null } as const;
  await server.decisions.close(fence, asked.decision, verdict);
  expect(await readThreadState(cli, threadId)).toMatchObject({ isAsking: false });
  await journal.append(rest);
  expect(await readThreadState(cli, threadId)).toEqual({ kind: "loaded", turnId: null, isAsking: false });
  await journal.close();
  expect(await readThreadState(cli, threadId)).toEqual({ kind: "unattended" });
  await server.queue.attend();
  expect(await readThreadState(cli, threadId)).toEqual({ kind: "attended" });
});
