import type { Engine } from "../../engine/engine.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { BackgroundTerminal, BackgroundTerminals } from "../../tools/exec/background-terminals.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";

export interface BackgroundTerminalsOptions {
  readonly engine: Pick<Engine, "find">;
  readonly terminals: () => Promise<BackgroundTerminals>;
}

type BackgroundTerminalMethod =
  | "thread/backgroundTerminals/list"
  | "thread/backgroundTerminals/terminate"
  | "thread/backgroundTerminals/clean";

/** Background commands that the model of a thread started. */
export function createBackgroundTerminalHandlers({
  engine,
  terminals,
}: BackgroundTerminalsOptions): Handlers<BackgroundTerminalMethod> {
  function checkThread(text: string): string {
    const id = unwrap(parseThreadId(text));
    if (engine.find(id) === undefined) throw invalidRequest(`thread not found: ${id}`);
    return id;
  }

  return {
    async "thread/backgroundTerminals/list"({ threadId, cursor = null, limit = null }) {
      const all = (await terminals()).list(checkThread(threadId));
      const last = cursor === null ? null : readNumber(cursor, "invalid cursor");
      const rest = last === null ? all : all.filter(({ processId }) => Number(processId) > last);
      const page = rest.slice(0, Math.max(1, limit ?? rest.length));
      const nextCursor = page.length < rest.length ? (page.at(-1)?.processId ?? null) : null;
      return { data: page.map(toWire), nextCursor };
    },

    async "thread/backgroundTerminals/terminate"({ threadId, processId }) {
      readNumber(processId, "invalid background terminal process id");
      const id = checkThread(threadId);
      return { terminated: await (await terminals()).terminate(id, processId) };
    },

    async "thread/backgroundTerminals/clean"({ threadId }, { afterResponse }) {
      const id = checkThread(threadId);
      const running = await terminals();
      afterResponse(() => void running.clean(id));
      return {};
    },
  };
}

/** Parses a 32-bit integer. The error messages are those of Rust's integer parser, which clients know. */
function readNumber(text: string, about: string): number {
  if (text === "") throw invalidRequest(`${about}: cannot parse integer from empty string`);
  if (!/^[+-]?\d+$/.test(text)) throw invalidRequest(`${about}: invalid digit found in string`);
  const number = Number(text);
  if (number > MAX_INT) throw invalidRequest(`${about}: number too large to fit in target type`);
  if (number < -MAX_INT - 1) throw invalidRequest(`${about}: number too small to fit in target type`);
  return number;
}

const MAX_INT = 2 ** 31 - 1;

function toWire({ itemId, processId, command, cwd }: BackgroundTerminal) {
  return { itemId, processId, command, cwd, osPid: null, cpuPercent: null, rssKb: null };
}
