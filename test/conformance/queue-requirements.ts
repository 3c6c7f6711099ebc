/** The requirements about the queue of turns, by the peer's test module that shows them; see requirements.ts. */
import { type Row, under } from "./requirement-row.ts";

export const queueRequirements: Readonly<Record<string, readonly Row[]>> = {
  thread_queue: [
    [
      "starts",
      "a turn that is added to a free thread starts at once",
      under("thread-queue", "idle", "new-thread"),
    ],
    [
      "order",
      "turns that wait start one after the other, whatever becomes of those before",
      under("thread-queue", "order", "failed-turn", "interrupted"),
    ],
    [
      "changes",
      "waiting turns are listed, changed, reordered and taken out",
      under("thread-queue", "changes", "pages", "same-key"),
    ],
    ["start", "a waiting turn is started by hand", "thread-queue/start"],
    ["refused", "what cannot be queued is refused", under("thread-queue", "refused", "threads")],
    ["unloaded", "a queue outlives the process and the loaded thread", "thread-queue/unloaded"],
  ],
};
