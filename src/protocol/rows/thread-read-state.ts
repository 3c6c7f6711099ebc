// How far the user has read a thread.

import { define, nullable, object, string, tagged } from "./shape.ts";

export const ThreadUnreadPosition = define(
  "ThreadUnreadPosition",
  tagged("type", { threadStart: {}, turn: { turnId: string() } }),
);
export const ThreadReadState = define(
  "ThreadReadState",
  object({ firstUnread: nullable(ThreadUnreadPosition), revision: string() }),
);
