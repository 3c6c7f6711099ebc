/** Builds a queue row from the command line. Input that no turn accepts is rejected before it is stored. */
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { JsonObject } from "../../base/json-object.ts";
import { snapshotInput } from "../../engine/input/read-local-media.ts";
import type { UserInput } from "../../protocol/generated/types.ts";
import { orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { refuseInput } from "../../runtime/threads/turns.ts";
import type { NewRow } from "../../store/queue.ts";
import { readStdin } from "../command-line/read-stdin.ts";

export interface RowArguments {
  /** A single `-` reads stdin. */
  readonly text: readonly string[];
  readonly images: readonly string[];
  readonly key: string | null;
  readonly notBeforeMs: number | null;
}

export interface RowContext {
  readonly cwd: string;
  readonly stdin: Readable;
  readonly createId: () => string;
}

/** Throws on invalid input. Images are embedded as they are now. */
export async function composeRow(args: RowArguments, { cwd, stdin, createId }: RowContext): Promise<NewRow> {
  const { text: operands, images, key, notBeforeMs } = args;
  const text = operands.length === 1 && operands[0] === "-" ? await readText(stdin) : operands.join(" ");
  const hasText = text.trim() !== "";
  if (!hasText && images.length === 0) throw new Error("there is nothing to queue: the text is empty");
  const parts: UserInput[] = [
    ...images.map((path): UserInput => ({ type: "localImage", path: resolve(cwd, path) })),
    ...(hasText ? [{ type: "text" as const, text }] : []),
  ];
  orThrow(refuseInput(parts));
  const input = await snapshotInput(parts);
  for (const part of input) {
    if (part.type === "localImage")
      throw new Error(`cannot take the image ${part.path}: it is not there, no image, or too large`);
  }
  return {
    rowId: createId(),
    clientUserMessageId: key,
    params: { input, ...(key !== null && { clientUserMessageId: key }) } as unknown as JsonObject,
    notBeforeMs,
  };
}

async function readText(stream: Readable): Promise<string> {
  return (await readStdin(stream)).toString("utf8").replace(/\r?\n$/, "");
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a date, the next occurrence of a time of day, or an offset from now; null if invalid. */
export function parseNotBefore(text: string, nowMs: number): number | null {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours !== undefined) return nextTimeOfDay(nowMs, Number(hours), Number(minutes));
  const [, amount, unit = ""] = /^\+(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined) return nowMs + Number(amount) * (UNITS[unit] ?? 0);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  // A date without a time is midnight in the local time zone, not in UTC.
  const ms = Date.parse(text.length === 10 ? `${text}T00:00:00` : text);
  return Number.isNaN(ms) ? null : ms;
}

/** In local time; the setters handle days with a daylight-saving change. */
function nextTimeOfDay(nowMs: number, hours: number, minutes: number): number {
  const time = new Date(nowMs);
  time.setHours(hours, minutes, 0, 0);
  if (time.getTime() <= nowMs) {
    time.setDate(time.getDate() + 1);
    time.setHours(hours, minutes, 0, 0);
  }
  return time.getTime();
}
