import { historyIndexContract } from "../history-index.contract.ts";
import { createMemoryStore } from "./memory-store.ts";

historyIndexContract("memory", async () => createMemoryStore().history);
