/** Makes the lines of imported turns: each with the time of what it tells, in an order that never goes back. */
import type { ThreadItem, TokenUsageBreakdown, TurnError } from "../../../protocol/generated/types.ts";
import type { LineBody } from "../../lines/line.ts";
import { compacted, responseItem } from "../../lines/thread-lines.ts";
import { itemCompleted, taskComplete, taskStarted, tokenCount, turnAborted } from "../../lines/turn-lines.ts";
import { importedId } from "./imported-id.ts";
import { userMessage } from "./message-items.ts";

export interface DatedLine {
  readonly body: LineBody;
  readonly atMs: number;
}

interface OpenTurn {
  readonly id: string;
  readonly startedAtMs: number;
  lastAgentMessage: string | null;
  error: TurnError | null;
}

const SECOND = 1000;
/** What the model knows is measured so that it is compacted in time, although nobody has counted its tokens. */
const BYTES_PER_TOKEN = 4;
const IMAGE_BYTES = 6000;

export class TurnWriter {
  readonly #threadId: string;
  #lines: DatedLine[] = [];
  #nowMs: number;
  #turn: OpenTurn | null = null;
  #turns = 0;
  #items = 0;
  #windows = 0;
  #knownBytes = 0;

  constructor(threadId: string, createdAtMs: number) {
    this.#threadId = threadId;
    this.#nowMs = createdAtMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get hasTurn(): boolean {
    return this.#turn !== null;
  }

  get turns(): number {
    return this.#turns;
  }

  get items(): number {
    return this.#items;
  }

  /** Has the time go on to this one, if it is later. */
  advance(atMs: number | null): void {
    this.#nowMs = Math.max(this.#nowMs, atMs ?? this.#nowMs);
  }

  /** Begins a turn; the one before it ends. */
  begin(key: string): void {
    this.end();
    this.#turns += 1;
    const turnId = importedId(this.#threadId, "turn", `${this.#turns}`, key);
    this.#turn = { id: turnId, startedAtMs: this.#nowMs, lastAgentMessage: null, error: null };
    const startedAt = seconds(this.#nowMs);
    this.#put(taskStarted({ turnId, startedAt, modelContextWindow: null, collaborationMode: "default" }));
  }

  end(): void {
    const turn = this.#turn;
    if (turn === null) return;
    const { lastAgentMessage, error } = turn;
    this.#put(taskComplete({ ...this.#ending(turn), lastAgentMessage, error }));
    this.#turn = null;
  }

  abort(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#put(turnAborted({ ...this.#ending(turn), reason: "interrupted" }));
    this.#turn = null;
  }

  /** The turn fails with this, unless the model goes on after all. */
  fail(message: string): void {
    if (this.#turn === null) return;
    this.#turn.error = { message, codexErrorInfo: null, additionalDetails: null, misalignment: null };
  }

  item(item: ThreadItem, startedAtMs = this.#nowMs): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#items += 1;
    if (item.type === "agentMessage") turn.lastAgentMessage = item.text;
    if (item.type !== "userMessage") turn.error = null;
    const completedAtMs = this.#nowMs;
    this.#put(itemCompleted({ threadId: this.#threadId, turnId: turn.id, item, startedAtMs, completedAtMs }));
  }

  /** Adds an item to what the model knows. */
  remember(item: { readonly type: string }): void {
    this.#knownBytes += knownSize(item);
    this.#put(responseItem(item));
  }

  /** The model forgets all but this. */
  forget(summary: string): void {
    this.#windows += 1;
    const number = this.#windows;
    const window = (each: number) => importedId(this.#threadId, "window", `${each}`);
    const ids = { firstWindowId: window(0), previousWindowId: window(number - 1), windowId: window(number) };
    const replacementHistory = [userMessage([{ type: "text", text: summary }])];
    this.#put(compacted({ message: summary, replacementHistory, windowNumber: number, ...ids }));
    this.#knownBytes = summary.length;
  }

  /** Ends everything. Nothing may follow. */
  finish(): void {
    const total = usage(Math.ceil(this.#knownBytes / BYTES_PER_TOKEN));
    if (this.#items > 0) this.#put(tokenCount({ total, last: total, modelContextWindow: null }));
    this.end();
  }

  /** The lines since the last time. */
  drain(): DatedLine[] {
    const drained = this.#lines;
    this.#lines = [];
    return drained;
  }

  #put(body: LineBody): void {
    this.#lines.push({ body, atMs: this.#nowMs });
  }

  #ending({ id, startedAtMs }: OpenTurn) {
    const durationMs = this.#nowMs - startedAtMs;
    return { turnId: id, startedAt: seconds(startedAtMs), completedAt: seconds(this.#nowMs), durationMs };
  }
}

/** The first context window of an imported thread. */
export function firstWindowId(threadId: string): string {
  return importedId(threadId, "window", "0");
}

/** A picture costs the model the same however many bytes it has. */
function knownSize(item: object): number {
  let images = 0;
  const text = JSON.stringify(item, (key, value: unknown) => {
    if (key !== "image_url") return value;
    images += 1;
    return "";
  });
  return text.length + images * IMAGE_BYTES;
}

function seconds(ms: number): number {
  return Math.floor(ms / SECOND);
}

function usage(totalTokens: number): TokenUsageBreakdown {
  return {
    totalTokens,
    inputTokens: totalTokens,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 0,
    reasoningOutputTokens: 0,
  };
}
