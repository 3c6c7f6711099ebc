/** Clients cannot tell a server with its threads in PostgreSQL from one with its threads in memory. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { canBeEmbedded, startEmbeddedWith } from "../conformance/embedded-server.ts";
import { type Golden, readGolden, titleOf, toLines, toTrace } from "../conformance/golden.ts";
import { play } from "../conformance/play.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { lackOf, testUnless } from "../support/needs-program.ts";
import { lackOfPostgres, postgresServer } from "../support/postgres-server.ts";
import { HEDDLE } from "../support/start-server.ts";
import { tasks } from "./golden-suite.ts";

/** Those that read and write what is stored. */
const STORED =
  /^(?:thread-(?:archive|delete|fork|list|metadata|names|read|resume|revert|search|turns)|queue)/u;

const lack = process.platform === "linux" ? (lackOf("bwrap") ?? lackOfPostgres()) : "needs Linux";

describe("a server with its threads in PostgreSQL", () => {
  let golden: Golden;
  let homes: string;
  beforeAll(async () => {
    golden = await readGolden();
    homes = await makeHomesFolder();
  });
  afterAll(() => rm(homes, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 }));

  const chosen = tasks.filter(
    ({ scenario, transport }) => STORED.test(scenario.name) && canBeEmbedded(scenario, transport),
  );
  for (const { scenario, transport } of chosen) {
    const traceWith = async (store: string) => {
      const start: Parameters<typeof play>[2]["start"] = (place) => startEmbeddedWith(place, { store });
      const { normalised } = await play(scenario, transport, { program: HEDDLE, homes, start });
      return toLines(toTrace(normalised, scenario), golden.usual);
    };
    const body = async (): Promise<void> => {
      const server = await postgresServer();
      const url = await server.createSchema();
      try {
        expect(await traceWith(url)).toEqual(await traceWith("memory"));
      } finally {
        await server.dropSchema(url);
      }
    };
    testUnless(lack, titleOf(scenario, transport), body, { concurrent: true });
  }
});
