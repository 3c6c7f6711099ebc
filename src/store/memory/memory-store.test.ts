import { onTestFinished } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { storeContract } from "../contract/store.contract.ts";
import { originWith } from "../contract/store-harness.fixture.ts";
import { createMemory, createMemoryStore } from "./memory-store.ts";

storeContract("memory", ({ maxDecisions, maxDeliveries } = {}) => {
  const clock = createFakeClock(Date.UTC(2026, 10, 15));
  const createId = createUuidSource(clock);
  const memory = createMemory();
  let opened = 0;
  const open = async (isAlive: boolean) => {
    const limit = {
      ...(maxDecisions === undefined ? {} : { maxDecisions }),
      ...(maxDeliveries === undefined ? {} : { maxDeliveries }),
    };
    const store = createMemoryStore(memory, {
      clock,
      owner: `${++opened}`,
      isAlive: () => isAlive,
      ...limit,
    });
    onTestFinished(() => store.close());
    return store;
  };
  return {
    createId,
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    origin: (members) => originWith({ now: clock.now(), createId }, members),
    open: () => open(true),
    openDead: () => open(false),
    settled: async () => {},
  };
});
