import { historyIndexContract } from "./history-index.contract.ts";
import { createMemoryIndex } from "./memory-index.fixture.ts";

historyIndexContract("memory", async () => createMemoryIndex());
