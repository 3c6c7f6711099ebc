import { historyIndexContract } from "../history-index.contract.ts";
import { storeContract } from "../store.contract.ts";
import { createMemoryStore } from "./memory-store.ts";

storeContract("memory", async () => createMemoryStore());
historyIndexContract("memory", async () => createMemoryStore().history);
