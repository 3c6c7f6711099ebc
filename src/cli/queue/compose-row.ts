/** A row of a queue from the words of a command line. What no turn would take is refused before anything is kept. */
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { JsonObject } from "../../base/json-object.ts";
import { snapshotInput } from "../../engine/input/snapshot-input.ts";
import type { UserInput } from "../../protocol/generated/types.ts";
import { orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { refuseInput } from "../../runtime/threads/turns.ts";
import type { NewRow } from "../../store/queue.ts";
import { readStdin } from "../command-line/read-stdin.ts";

export interface RowWords {
  /** One that is `-` alone stands for what comes in. */
  readonly text: readonly string[];
  readonly images: readonly string[];
  readonly key: string | null;
  readonly notBeforeMs: number | null;
}

export interface RowSurroundings {
  readonly cwd: string;
  readonly stdin: Readable;
  readonly createId: () => string;
}

/** Throws in words where it cannot be made. Images are in it as they are at this moment. */
export async function composeRow(
  words: RowWords,
  { cwd, stdin, createId }: RowSurroundings,
): Promise<NewRow> {
  const { text: given, images, key, notBeforeMs } = words;
  const text = given.length === 1 && given[0] === "-" ? await readText(stdin) : given.join(" ");
  const isSaid = text.trim() !== "";
  if (!isSaid && images.length === 0) throw new Error("there is nothing to queue: the text is empty");
  const named: UserInput[] = [
    ...images.map((path): UserInput => ({ type: "localImage", path: resolve(cwd, path) })),
    ...(isSaid ? [{ type: "text" as const, text }] : []),
  ];
  orThrow(refuseInput(named));
  const input = await snapshotInput(named);
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

/** A moment, a time of day, which is the next one, or how long from now; null for any other text. */
export function parseNotBefore(text: string, nowMs: number): number | null {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours !== undefined) return nextTimeOfDay(nowMs, Number(hours), Number(minutes));
  const [, amount, unit = ""] = /^\+(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined) return nowMs + Number(amount) * (UNITS[unit] ?? 0);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  // A day alone begins where its user is, not where UTC is.
  const ms = Date.parse(text.length === 10 ? `${text}T00:00:00` : text);
  return Number.isNaN(ms) ? null : ms;
}

/** Where the user is; a day that is longer or shorter than others changes nothing about its hours. */
function nextTimeOfDay(nowMs: number, hours: number, minutes: number): number {
  const time = new Date(nowMs);
  time.setHours(hours, minutes, 0, 0);
  if (time.getTime() <= nowMs) {
    time.setDate(time.getDate() + 1);
    time.setHours(hours, minutes, 0, 0);
  }
  return time.getTime();
}
