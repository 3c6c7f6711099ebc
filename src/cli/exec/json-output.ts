import { createExecEvents, type ExecEvent } from "./exec-events.ts";
import type { ExecOutput } from "./follow-turn.ts";

/** Events for programs. Each line is written in one piece: some readers keep no rest of a line. */
export function createJsonOutput(write: (line: string) => void): ExecOutput {
  const read = createExecEvents();
  const print = (event: ExecEvent) => write(`${JSON.stringify(event)}\n`);
  return {
    begin: ({ threadId }) => print({ type: "thread.started", thread_id: threadId }),
    hear(notice) {
      for (const event of read(notice)) print(event);
    },
    end: () => {},
  };
}
