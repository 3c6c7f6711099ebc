/** A process that claims a queued turn of a thread and then does nothing, until it is killed. */
import { randomUUID } from "node:crypto";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { openFileStore } from "../../src/store/files/open-file-store.ts";
import { started } from "../../src/store/lines/lines.fixture.ts";

const [home = "", threadId = "", turnId = "", isBegun = ""] = process.argv.slice(2);
const MANY = 1_000_000;

const store = openFileStore({ home, clock: systemClock, log: silentLogger, createId: randomUUID });
const opened = await store.threads.open(threadId);
if (!("journal" in opened)) throw new Error("the thread cannot be opened");
const persisted = await opened.journal.persist();
if (persisted.kind !== "persisted") throw new Error(persisted.message);
const row = {
  rowId: randomUUID(),
  clientUserMessageId: "key",
  params: { threadId, input: [{ type: "text", text: "the queued turn" }] },
  notBeforeMs: null,
};
await store.queue.add(threadId, row, { maxRows: MANY, maxRowBytes: MANY, maxBytes: MANY });
const claim = await store.queue.claim(persisted.fence, turnId);
if (claim.kind !== "claimed") throw new Error(claim.kind);
if (isBegun === "begun") await opened.journal.append([started(turnId)]);
process.stdout.write("claimed\n");
setInterval(() => {}, MANY);
