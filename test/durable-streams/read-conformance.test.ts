/**
 * The public conformance suite of the Durable Streams protocol: its tests of reading, on the code that serves threads.
 * Streams are written by test code, because Heddle serves them read-only.
 */
import { runConformanceTests } from "@durable-streams/server-conformance-tests";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createMemoryLogs } from "../../src/server/http/durable-stream/memory-log.fixture.ts";
import { openStreams, type Streams } from "./open-streams.ts";
import { READING_TESTS } from "./reading-tests.ts";
import { type WrittenLogs, writingRoutes } from "./stream-writer.ts";

const PATH = "/v1/stream/{id}";
const LONG_POLL_MS = 1000;
const EXPECTED_TESTS = 141;
const LAST_TEST = `all ${EXPECTED_TESTS} tests of reading were run`;

const options = { baseUrl: "", longPollTimeoutMs: LONG_POLL_MS };
const logs: WrittenLogs = new Map();
const started = new Set<string>();
let streams: Streams | null = null;

beforeAll(async () => {
  const routes = writingRoutes(PATH, logs);
  const limits = { longPollMs: LONG_POLL_MS };
  streams = await openStreams({ path: PATH, logs: createMemoryLogs(logs), routes, limits });
  options.baseUrl = streams.url;
});

afterAll(() => streams?.close());

beforeEach(({ task, skip }) => {
  const title = titleOf(task);
  if (title === LAST_TEST) return;
  if (READING_TESTS.test(title)) started.add(title);
  else skip();
});

interface Titled {
  readonly name: string;
  readonly suite?: Titled | undefined;
}

/** The titles of its groups and its own, as `vitest -t` joins them. */
function titleOf({ name, suite }: Titled): string {
  return suite === undefined || suite.name === "" ? name : `${titleOf(suite)} ${name}`;
}

runConformanceTests(options);

test(LAST_TEST, () => {
  expect(started.size).toBe(EXPECTED_TESTS);
});
