/** The lines of the benchmark: what is measured, and the ratio to the peer or the limit that Heddle has to keep. */

export type LineId =
  | "start-new-home"
  | "start-used-home"
  | "idle-memory"
  | "requests-stdio"
  | "requests-ws"
  | "thread-start"
  | "turn"
  | "shell-turn"
  | "many-turns"
  | "thread-memory"
  | "deltas"
  | "fan-out"
  | "fan-out-memory"
  | "thousand-threads"
  | "resume-turns"
  | "list"
  | "list-many"
  | "list-growth"
  | "first-list"
  | "resume-long"
  | "turns-growth"
  | "items-growth"
  | "hook-turn"
  | "hook-one"
  | "hook-twenty"
  | "hook-module"
  | "hook-block"
  | "queue-add"
  | "queue-growth"
  | "queue-drain";

export type Line = {
  readonly id: LineId;
  readonly title: string;
  readonly unit: string;
  /**
   * Heddle divided by the peer must stay below this, or above it. What the peer cannot do, or not in a bearable time,
   * has a limit of its own, in the line's unit, and is measured on Heddle alone.
   */
  readonly budget: { readonly below: number } | { readonly above: number } | { readonly limit: number };
  /** How often each side is measured, in a fresh process each time. */
  readonly rounds: number;
  /** Whether a bare relay is measured as well, to show how much can be had on this machine at all. */
  readonly control?: boolean;
};

export const LINES: readonly Line[] = [
  {
    id: "start-new-home",
    title: "start to initialize, new home",
    unit: "ms",
    budget: { below: 0.8 },
    rounds: 9,
    control: true,
  },
  {
    id: "start-used-home",
    title: "start to initialize, used home",
    unit: "ms",
    budget: { below: 0.8 },
    rounds: 9,
  },
  {
    id: "idle-memory",
    title: "memory 2 s after initialize",
    unit: "MB",
    budget: { below: 0.6 },
    rounds: 3,
    control: true,
  },
  {
    id: "requests-stdio",
    title: "pipelined requests, stdio",
    unit: "/s",
    budget: { above: 2.5 },
    rounds: 5,
    control: true,
  },
  {
    id: "requests-ws",
    title: "pipelined requests, WebSocket",
    unit: "/s",
    budget: { above: 2.5 },
    rounds: 5,
  },
  { id: "thread-start", title: "thread/start", unit: "ms", budget: { below: 0.8 }, rounds: 3, control: true },
  { id: "turn", title: "one plain turn", unit: "ms", budget: { below: 0.08 }, rounds: 3, control: true },
  { id: "shell-turn", title: "a turn with one command", unit: "ms", budget: { below: 0.3 }, rounds: 3 },
  {
    id: "many-turns",
    title: "100 threads at once, 5 turns each",
    unit: "turns/s",
    budget: { above: 80 },
    rounds: 3,
    control: true,
  },
  {
    id: "thread-memory",
    title: "memory of a loaded, idle thread",
    unit: "KB",
    budget: { below: 0.2 },
    rounds: 2,
    control: true,
  },
  { id: "deltas", title: "streamed deltas", unit: "/s", budget: { above: 5 }, rounds: 3, control: true },
  {
    id: "fan-out",
    title: "streamed deltas to 20 WebSocket clients",
    unit: "/s",
    budget: { above: 2 },
    rounds: 2,
  },
  {
    id: "fan-out-memory",
    title: "most memory meanwhile",
    unit: "MB",
    budget: { below: 1 },
    rounds: 1,
  },
  {
    id: "thousand-threads",
    title: "most memory of 1,000 threads with a turn each",
    unit: "MB",
    budget: { below: 0.5 },
    rounds: 1,
    control: true,
  },
  {
    id: "resume-turns",
    title: "thread/resume with its 200 turns, new process",
    unit: "ms",
    budget: { below: 0.4 },
    rounds: 3,
  },
  { id: "list", title: "thread/list, 50 of 200", unit: "ms", budget: { below: 0.25 }, rounds: 3 },
  { id: "list-many", title: "thread/list, 50 of 100,000, p95", unit: "ms", budget: { limit: 20 }, rounds: 1 },
  { id: "list-growth", title: "the same against 1,000", unit: "times", budget: { limit: 2 }, rounds: 1 },
  {
    id: "first-list",
    title: "first thread/list, 50,000 files not indexed",
    unit: "ms",
    budget: { limit: 1000 },
    rounds: 1,
  },
  {
    id: "resume-long",
    title: "thread/resume of 200 MB, 20,000 items, p95",
    unit: "ms",
    budget: { limit: 50 },
    rounds: 1,
  },
  {
    id: "turns-growth",
    title: "turns page of it against a short thread",
    unit: "times",
    budget: { limit: 2 },
    rounds: 1,
  },
  {
    id: "items-growth",
    title: "items page of it against a short thread",
    unit: "times",
    budget: { limit: 2 },
    rounds: 1,
  },
  { id: "hook-turn", title: "a turn with one hook", unit: "ms", budget: { below: 0.3 }, rounds: 3 },
  { id: "hook-one", title: "what one hook adds to a turn", unit: "ms", budget: { below: 1 }, rounds: 3 },
  { id: "hook-twenty", title: "what 20 hooks add to a turn", unit: "ms", budget: { below: 0.7 }, rounds: 3 },
  {
    id: "hook-module",
    title: "what a warm module hook adds to a turn",
    unit: "ms",
    budget: { limit: 1 },
    rounds: 3,
  },
  {
    id: "hook-block",
    title: "longest block of the event loop by 20 hooks",
    unit: "ms",
    budget: { limit: 5 },
    rounds: 3,
  },
  {
    id: "queue-add",
    title: "thread/queue/add on a busy thread, 1,000 of them, p95",
    unit: "ms",
    budget: { limit: 5 },
    rounds: 3,
  },
  {
    id: "queue-growth",
    title: "the same with 100 in the queue against a page",
    unit: "times",
    budget: { limit: 1.5 },
    rounds: 3,
  },
  {
    id: "queue-drain",
    title: "100 queued turns of a thread",
    unit: "turns/s",
    budget: { above: 10 },
    rounds: 2,
  },
];
