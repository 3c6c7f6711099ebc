/** A process that appends to a thread until it is killed, and prints the number of each line that was stored. */
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { createUuidSource } from "../../src/base/uuid.ts";
import { originWith } from "../../src/store/contract/store-harness.fixture.ts";
import { started } from "../../src/store/lines/lines.fixture.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";

const [url = "", threadId = ""] = process.argv.slice(2);
const createId = createUuidSource(systemClock);
const store = await openPostgresStore({ url, clock: systemClock, log: silentLogger, createId });
const journal = store.threads.create(originWith({ now: Date.now(), createId }, { threadId }));
for (let number = 1; ; number += 1) {
  const outcome = await journal.append([started(`t${number}`)]);
  if (outcome.kind !== "kept") throw new Error(outcome.message);
  process.stdout.write(`${number}\n`);
}
