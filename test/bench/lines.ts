/** The lines of the benchmark: what is measured, and the budget that Heddle has to keep. */

/** What a line is compared with: the peer, a relay without and with a journal, and a Node process that does nothing. */
export type Reference = "peer" | "relay" | "durable" | "node";

export type Budget =
  /** Heddle divided by the reference must stay below this, or above it. */
  | { readonly below: number; readonly of: Reference }
  | { readonly above: number; readonly of: Reference }
  /** In the line's unit; only Heddle is measured. */
  | { readonly limit: number };

export type Line<Id extends string = string> = {
  readonly id: Id;
  readonly title: string;
  readonly unit: string;
  readonly budget: Budget;
  /** How often each side is measured, in a fresh process each time. */
  readonly rounds: number;
  /** Further references that are measured and shown, but have no budget. */
  readonly beside: readonly Reference[];
};

/** The references that a line is measured on. */
export function referencesOf({ budget, beside }: Line): readonly Reference[] {
  return "of" in budget ? [budget.of, ...beside] : beside;
}

const below = (ratio: number, of: Reference): Budget => ({ below: ratio, of });
const above = (ratio: number, of: Reference): Budget => ({ above: ratio, of });
const limit = (value: number): Budget => ({ limit: value });

function line<const Id extends string>(
  ...[id, title, unit, budget, rounds, beside = []]: [Id, string, string, Budget, number, Reference[]?]
): Line<Id> {
  return { id, title, unit, budget, rounds, beside };
}

export const LINES = [
  line("start-new-home", "start to initialize, new home", "ms", below(0.8, "peer"), 9, ["relay"]),
  line("start-used-home", "start to initialize, used home", "ms", below(0.8, "peer"), 9),
  line("start-cpu-new-home", "CPU from start to initialize, new home", "ms", below(1.7, "node"), 15),
  line("start-cpu-used-home", "CPU from start to initialize, used home", "ms", below(1.7, "node"), 15),
  line("idle-memory", "memory 2 s after initialize", "MB", below(0.7, "peer"), 3, ["relay"]),
  line("requests-stdio", "pipelined requests, stdio", "/s", above(0.7, "relay"), 5, ["peer"]),
  line("requests-ws", "pipelined requests, WebSocket", "/s", above(2.5, "peer"), 5),
  line("thread-start", "thread/start", "ms", below(0.8, "peer"), 3, ["relay"]),
  line("thread-start-cpu", "thread/start, main thread CPU", "ms", limit(0.5), 5),
  line("first-thread-start", "first thread/start of a process, main thread CPU", "ms", limit(12), 7),
  line("turn", "one plain turn", "ms", below(0.08, "peer"), 3, ["relay", "durable"]),
  line("turn-cpu-cold", "plain turn, first 60 of a process, main thread CPU", "ms", below(2, "durable"), 5, [
    "relay",
  ]),
  line("turn-cpu-warm", "plain turn after 300, main thread CPU", "ms", below(1.8, "durable"), 5, ["relay"]),
  line("turn-cpu-other", "plain turn, first 60 of a process, CPU of other threads", "ms", limit(0.2), 5),
  line("turn-cpu-history", "plain turn after 2,400, main thread CPU", "ms", limit(4), 3),
  line("first-turn", "first turn of a process, main thread CPU", "ms", limit(13), 7),
  line("shell-turn", "a turn with one command", "ms", below(0.08, "peer"), 3),
  line("first-shell", "first turn with a command of a process", "ms", limit(60), 7),
  line("many-turns", "100 threads at once, 5 turns each", "turns/s", above(0.6, "durable"), 3, [
    "peer",
    "relay",
  ]),
  line("thread-memory", "memory of a loaded, idle thread", "KB", below(0.1, "peer"), 2, ["relay"]),
  line("deltas", "streamed deltas", "/s", above(0.7, "relay"), 3, ["peer"]),
  line("fan-out", "streamed deltas to 20 WebSocket clients", "/s", above(2, "peer"), 2),
  line("fan-out-memory", "most memory meanwhile", "MB", below(1, "peer"), 1),
  line("thousand-threads", "most memory of 1,000 threads with a turn each", "MB", below(0.5, "peer"), 1, [
    "relay",
  ]),
  line("resume-turns", "thread/resume with its 200 turns, new process", "ms", below(0.4, "peer"), 3),
  line(
    "resume-cpu",
    "first thread/resume of a process, with its 200 turns, main thread CPU",
    "ms",
    limit(25),
    5,
  ),
  line("list", "thread/list, 50 of 200", "ms", below(0.25, "peer"), 3),
  line("list-many", "thread/list, 50 of 100,000, p95", "ms", limit(20), 1),
  line("list-growth", "the same against 1,000", "times", limit(2), 1),
  line("first-list", "first thread/list, 50,000 files not indexed", "ms", limit(1000), 1),
  line("resume-long", "thread/resume of 200 MB, 20,000 items, p95", "ms", limit(50), 1),
  line("turns-growth", "turns page of it against a short thread", "times", limit(2), 1),
  line("items-growth", "items page of it against a short thread", "times", limit(2), 1),
  line("hook-turn", "a turn with one hook", "ms", below(0.3, "peer"), 3),
  line("hook-one", "what one hook adds to a turn", "ms", below(1, "peer"), 3),
  line("hook-twenty", "what 20 hooks add to a turn", "ms", below(0.7, "peer"), 3),
  line("hook-module", "what a warm module hook adds to a turn", "ms", limit(1), 3),
  line("hook-block", "longest block of the event loop by 20 hooks", "ms", limit(5), 3),
  line("queue-add", "thread/queue/add on a busy thread, 1,000 of them, p95", "ms", limit(5), 3),
  line("queue-growth", "the same with 100 in the queue against a page", "times", limit(1.5), 3),
  line("queue-drain", "100 queued turns of a thread", "turns/s", above(10, "peer"), 2),
  line("events-replay", "replay of 10,000 stored events", "ms", limit(200), 3),
  line(
    "events-turn",
    "main thread CPU of a turn with resumable events against without",
    "times",
    limit(1.05),
    3,
  ),
  line("events-deltas", "the same of streamed deltas", "times", limit(1.05), 3),
  line("browser-paint", "first contentful paint", "ms", limit(500), 1),
  line("browser-inbox", "inbox of 5 questions answers a key, from the navigation", "ms", limit(1000), 1),
  line(
    "browser-thread",
    "thread of 10,000 items opens, from the click until it scrolls",
    "ms",
    limit(1000),
    1,
  ),
  line("browser-scroll", "longest frame while scrolling through it", "ms", limit(50), 5),
  line("browser-elements", "most elements of the page meanwhile", "elements", limit(2000), 1),
  line("browser-input-p95", "key to frame during 1,000 deltas a second, p95", "ms", limit(100), 3),
  line("browser-input", "the longest of them", "ms", limit(100), 5),
  line("browser-heap", "growth of the heap in 30 minutes of streaming", "MB", limit(5), 1),
  line(
    "browser-pages-cpu",
    "CPU of the server for a page against an SDK client, 10 of each",
    "times",
    limit(1.1),
    1,
  ),
  line(
    "browser-pages-memory",
    "memory of the server with 50 pages against 50 SDK clients",
    "times",
    limit(1.15),
    1,
  ),
] as const satisfies readonly Line[];

export type LineId = (typeof LINES)[number]["id"];

/** The time that the line about the heap of a page is about. */
export const HEAP_MINUTES = 30;

/** The lines that are measured in a browser. */
export const isBrowserLine = ({ id }: Line): boolean => id.startsWith("browser-");
