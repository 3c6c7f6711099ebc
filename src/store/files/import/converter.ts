/**
 * Converts transcript entries to rollout lines, one entry at a time. It never throws. For any entries, the resulting
 * model history has exactly one output for each call.
 */
import { isAbsolute } from "node:path";
import { type ContentBlock, classifyUserText, type OutputPart, type UserText } from "./content-block.ts";
import { importedId } from "./imported-id.ts";
import {
  agentItem,
  assistantMessage,
  shellItem,
  shellMessage,
  userItem,
  userMessage,
} from "./message-items.ts";
import { type CallTracker, createCallTracker } from "./tool-calls.ts";
import type { Envelope, TranscriptEntry, UserEntry } from "./transcript-entry.ts";
import { type DatedLine, TurnWriter } from "./turn-writer.ts";

export interface ConverterOptions {
  readonly threadId: string;
  readonly createdAtMs: number;
  readonly cwd: string;
  /** Called for each omitted part. */
  readonly onSkip: (reason: string) => void;
}

/** A command of the user that may or may not be sent to the model. */
interface Held {
  readonly kind: "command" | "shell";
  readonly text: string;
  readonly key: string;
  readonly atMs: number;
}

type SpecialText = Exclude<UserText, { kind: "prompt" | "context" }>;

const LOCAL_COMMAND = "local command";
const NOTE = "internal note";
const NO_CALL = "result of an unknown call";
const DUPLICATE = "duplicate";
const NO_CONTENT = "(no content)";

export class Converter {
  readonly #threadId: string;
  readonly #skip: (reason: string) => void;
  readonly #writer: TurnWriter;
  readonly #calls: CallTracker;
  #cwd: string;
  #held: Held | null = null;
  #withoutId = 0;

  constructor({ threadId, createdAtMs, cwd, onSkip }: ConverterOptions) {
    this.#threadId = threadId;
    this.#skip = onSkip;
    this.#writer = new TurnWriter(threadId, createdAtMs);
    this.#calls = createCallTracker(threadId, this.#writer);
    this.#cwd = cwd;
  }

  get turns(): number {
    return this.#writer.turns;
  }

  get items(): number {
    return this.#writer.items;
  }

  take(entry: TranscriptEntry): void {
    if (entry.kind === "title" || entry.kind === "bookkeeping") return;
    const { atMs, cwd } = entry.envelope;
    this.#writer.advance(atMs);
    if (cwd !== null && isAbsolute(cwd)) this.#cwd = cwd;
    if (entry.kind === "user") this.#takeUser(entry);
    else if (entry.kind === "assistant") this.#takeAssistant(entry);
    else if (entry.kind === "summary") this.#takeSummary(entry);
  }

  /** Ends open calls and turns. No entry may follow. */
  finish(): void {
    this.#dropHeld();
    this.#calls.abandon();
    this.#writer.finish();
  }

  /** Returns and clears the lines since the previous call. */
  drain(): DatedLine[] {
    return this.#writer.drain();
  }

  #takeUser(entry: UserEntry): void {
    const results = entry.blocks.filter((block) => block.type === "toolResult");
    const details = results.length === 1 ? entry.toolUseResult : undefined;
    for (const { callId, output, isError } of results) {
      if (!this.#calls.answer(callId, { output, isError, details })) this.#skip(NO_CALL);
    }
    const parts = entry.blocks.filter((block) => block.type === "text" || block.type === "image");
    if (parts.length === 0) return;
    if (entry.isMeta) this.#takeMeta(parts);
    else this.#takeMessage(entry, parts);
  }

  #takeMeta(parts: readonly OutputPart[]): void {
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const isLocal = classifyUserText(text).kind === "localOutput" || text.startsWith("Caveat:");
    if (!isLocal) this.#submitHeld();
    if (isLocal || text.trim() === "" || !this.#writer.hasTurn) this.#skip(NOTE);
    else this.#writer.addToHistory(userMessage(parts));
  }

  #takeMessage(entry: UserEntry, parts: readonly OutputPart[]): void {
    const key = this.#keyOf(entry.envelope);
    const shown: OutputPart[] = [];
    const forModel: OutputPart[] = [];
    for (const part of parts) {
      const is: UserText = part.type === "image" ? { kind: "prompt", text: "" } : classifyUserText(part.text);
      if (is.kind === "prompt") shown.push(part);
      if (is.kind === "prompt" || is.kind === "context") forModel.push(part);
      else this.#takeSpecialText(is, key);
    }
    if (shown.length > 0) {
      this.#dropHeld();
      if (!(entry.isQueued && this.#writer.hasTurn)) this.#beginTurn(key);
      this.#addMessage(importedId(this.#threadId, key, "user"), shown, forModel);
    } else if (forModel.length > 0) {
      if (this.#writer.hasTurn) this.#writer.addToHistory(userMessage(forModel));
      else this.#skip(NOTE);
    }
  }

  /** Handles a text that is not a message. */
  #takeSpecialText(is: SpecialText, key: string): void {
    const atMs = this.#writer.nowMs;
    switch (is.kind) {
      case "command":
        return this.#hold({ kind: "command", text: is.text, key, atMs });
      case "shellInput":
        return this.#hold({ kind: "shell", text: is.command, key, atMs });
      case "shellOutput":
        return this.#takeShellOutput(is.output);
      case "localOutput":
        return this.#held === null ? this.#skip(LOCAL_COMMAND) : this.#dropHeld();
      case "interrupted":
        this.#submitHeld();
        this.#calls.abandon();
        return this.#writer.abort();
      case "empty":
    }
  }

  #takeShellOutput(output: string): void {
    const held = this.#held;
    if (held?.kind !== "shell") return this.#skip("output of an unknown command");
    this.#held = null;
    const ran = { command: held.text, cwd: this.#cwd, output };
    this.#beginTurn(held.key);
    this.#writer.addToHistory(shellMessage(ran));
    this.#writer.item(shellItem(importedId(this.#threadId, held.key, "shell"), ran), held.atMs);
    this.#writer.end();
  }

  #takeAssistant(entry: Extract<TranscriptEntry, { kind: "assistant" }>): void {
    if (entry.isNotice) {
      const text = entry.blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      if (entry.isError) this.#writer.fail(text);
      return this.#skip(entry.isError ? "error of the model API" : NOTE);
    }
    const key = this.#keyOf(entry.envelope);
    this.#submitHeld();
    this.#dropHeld();
    if (!this.#writer.hasTurn) this.#beginTurn(key);
    for (const [at, block] of entry.blocks.entries())
      this.#takeBlock(block, importedId(this.#threadId, key, `${at}`));
  }

  #takeBlock(block: ContentBlock, id: string): void {
    switch (block.type) {
      case "text":
        if (block.text.trim() === "" || block.text === NO_CONTENT) return;
        this.#writer.addToHistory(assistantMessage(block.text));
        return this.#writer.item(agentItem(id, block.text));
      case "thinking":
        // Only the API that produced the reasoning can decrypt it, so that it is shown and not sent to the model.
        if (block.text.trim() === "") return;
        return this.#writer.item({ type: "reasoning", id, summary: [block.text], content: [] });
      case "toolUse":
        return this.#calls.open(block, this.#cwd) ? undefined : this.#skip(DUPLICATE);
      case "toolResult": {
        const { callId, output, isError } = block;
        return this.#calls.answer(callId, { output, isError, details: null })
          ? undefined
          : this.#skip(NO_CALL);
      }
      case "image":
        return this.#skip("block of an unknown kind (image)");
      case "unknown":
        return this.#skip(`block of an unknown kind (${block.name})`);
    }
  }

  /** A summary replaces the earlier history of the model; clients still see all of it. */
  #takeSummary({ envelope, text }: { readonly envelope: Envelope; readonly text: string }): void {
    const key = this.#keyOf(envelope);
    this.#dropHeld();
    const wasOpen = this.#writer.hasTurn;
    if (wasOpen) this.#calls.abandon();
    else this.#beginTurn(key);
    this.#writer.compact(text);
    this.#writer.item({ type: "contextCompaction", id: importedId(this.#threadId, key, "compaction") });
    if (!wasOpen) this.#writer.end();
  }

  #addMessage(id: string, shown: readonly OutputPart[], forModel: readonly OutputPart[]): void {
    this.#writer.addToHistory(userMessage(forModel));
    this.#writer.item(userItem(id, shown));
  }

  #beginTurn(key: string): void {
    this.#calls.abandon();
    this.#writer.begin(key);
  }

  #hold(held: Held): void {
    this.#dropHeld();
    this.#held = held;
  }

  /** Converts a held command to a user message, because a later entry shows that it was sent to the model. */
  #submitHeld(): void {
    const held = this.#held;
    if (held?.kind !== "command") return;
    this.#held = null;
    this.#beginTurn(held.key);
    const parts: OutputPart[] = [{ type: "text", text: held.text }];
    this.#addMessage(importedId(this.#threadId, held.key, "command"), parts, parts);
  }

  #dropHeld(): void {
    if (this.#held !== null) this.#skip(LOCAL_COMMAND);
    this.#held = null;
  }

  #keyOf({ uuid }: Envelope): string {
    if (uuid !== null) return uuid;
    this.#withoutId += 1;
    return `entry ${this.#withoutId}`;
  }
}
