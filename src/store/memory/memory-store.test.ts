import { storeContract } from "../store.contract.ts";
import { createMemoryStore } from "./memory-store.ts";

storeContract("memory", async () => createMemoryStore());
