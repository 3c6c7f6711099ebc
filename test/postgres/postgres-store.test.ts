import { storeContract } from "../../src/store/contract/store.contract.ts";
import { testUnless } from "../support/needs-program.ts";
import { lackOfPostgres } from "../support/postgres-server.ts";
import { createPostgresHarness } from "./postgres-harness.ts";

const lack = lackOfPostgres();
if (lack === null) storeContract("PostgreSQL", createPostgresHarness);
else testUnless(lack, "a store in PostgreSQL passes the contract of every store", () => {});
