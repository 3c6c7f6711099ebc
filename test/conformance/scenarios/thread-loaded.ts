/** The threads that a server has loaded. */
import type { Scenario, Step } from "../scenario.ts";
import { call } from "../steps.ts";
import { THREAD, turnScenario, withThread } from "../turn-steps.ts";
import { storedFiles, threadId } from "./thread-list-files.ts";

const SECOND = "{{second.result.thread.id}}";

const second: Step = call("thread/start", {}, { as: "second", settles: true });
const loaded = (
  params: Readonly<Record<string, unknown>>,
  as: string,
  data: readonly string[],
  nextCursor: string | null = null,
): Step => call("thread/loaded/list", params, { as, expect: { result: { data, nextCursor } } });

export const threadLoadedScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-loaded/ids",
    about: "The ids of the loaded threads are listed, those of stored threads are not.",
    files: storedFiles({ id: threadId(1), at: "2026-01-05T12:00:01", said: ["one"] }),
    steps: [
      ...withThread({ model: "gpt-5.2" }),
      loaded({}, "list", [THREAD]),
      call("thread/start", { ephemeral: true }, { as: "second", settles: true }),
      loaded({}, "with an ephemeral thread", [THREAD, SECOND]),
    ],
  }),
  turnScenario({
    name: "thread-loaded/pages",
    about: "The ids come sorted, and the last one of a page leads to the next page.",
    steps: [
      ...withThread(),
      second,
      loaded({ limit: 1 }, "first page", [THREAD], THREAD),
      loaded({ limit: 1, cursor: "{{first page.result.nextCursor}}" }, "second page", [SECOND]),
      loaded({ limit: 2 }, "both", [THREAD, SECOND]),
      loaded({ limit: 1, cursor: SECOND }, "behind the last", []),
      loaded({ limit: 0 }, "at least one", [THREAD], THREAD),
    ],
  }),
];
