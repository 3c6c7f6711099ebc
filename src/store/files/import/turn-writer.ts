/** Creates the lines of imported turns. Timestamps are those of the entries, made monotonic. */
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
/** The transcript has no token counts. An estimate lets the model's history be compacted in time. */
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
  #historyBytes = 0;

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

  /** Advances the clock; an earlier time is ignored. */
  advance(atMs: number | null): void {
    this.#nowMs = Math.max(this.#nowMs, atMs ?? this.#nowMs);
  }

  /** Begins a turn and ends the previous one. */
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

  /** Fails the turn, unless the model continues. */
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

  /** Adds an item to the model's history. */
  addToHistory(item: { readonly type: string }): void {
    this.#historyBytes += historySize(item);
    this.#put(responseItem(item));
  }

  /** Replaces the model's history by a summary. */
  compact(summary: string): void {
    this.#windows += 1;
    const number = this.#windows;
    const window = (each: number) => importedId(this.#threadId, "window", `${each}`);
    const ids = { firstWindowId: window(0), previousWindowId: window(number - 1), windowId: window(number) };
    const replacementHistory = [userMessage([{ type: "text", text: summary }])];
    this.#put(compacted({ message: summary, replacementHistory, windowNumber: number, ...ids }));
    this.#historyBytes = summary.length;
  }

  /** Ends the open turn. No line may follow. */
  finish(): void {
    const total = usage(Math.ceil(this.#historyBytes / BYTES_PER_TOKEN));
    if (this.#items > 0) this.#put(tokenCount({ total, last: total, modelContextWindow: null }));
    this.end();
  }

  /** Returns and clears the lines since the previous call. */
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

/** The id of the first context window of an imported thread. */
export function firstWindowId(threadId: string): string {
  return importedId(threadId, "window", "0");
}

/** The cost of an image is constant, whatever its size in bytes. */
function historySize(item: object): number {
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
