import { eventLogContract } from "./event-log.contract.ts";
import { MemoryLog } from "./memory-log.fixture.ts";

eventLogContract("in memory", async () => {
  const log = new MemoryLog("application/json");
  return {
    log,
    append: async (text) => log.append(text),
    moveTail: async () => log.append(null),
  };
});
