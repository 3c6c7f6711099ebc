/**
 * Parses one HTTP/1.1 response. As strict as Node's own parser: whatever could be read in two ways is a fault, because
 * the rest of the connection would then belong to another request.
 */
import { parseHead, parseHeaderLines, type ResponseHead } from "./response-head.ts";

export interface ResponseHandler {
  onHead(head: ResponseHead): void;
  /** Called at most once per `push`. The bytes are only valid during the call. */
  onBody(bytes: Buffer): void;
}

/** The longest head of a response, as in Node; also the limit for chunk extensions and trailers. */
export const MAX_HEAD_BYTES = 16 * 1024;
/** More digits would not be exact. */
const MAX_SIZE_DIGITS = 12;
const HEAD_END = "\r\n\r\n";
const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

type State =
  | "head"
  | "untilClose"
  | "fixed"
  /** In the line before a chunk: its size, its extension, and the line feed. */
  | "size"
  | "extension"
  | "sizeEnd"
  | "data"
  /** Behind a chunk. */
  | "dataCr"
  | "dataLf"
  /** Behind the last chunk: at the beginning of a line, within it, and in the empty line that ends the response. */
  | "trailer"
  | "trailerText"
  | "trailerLf"
  | "lastLf"
  | "done"
  | "failed";

export class ResponseParser {
  readonly #handler: ResponseHandler;
  #state: State = "head";
  #headText = "";
  #keepsAlive = false;
  /** Bytes of the body or of the current chunk that are still to come. */
  #remaining = 0;
  #sizeDigits = 0;
  /** The extension of the current chunk, or the current line of the trailers. */
  #extra = "";
  #extraBytes = 0;
  #hasSurplus = false;
  /** The part of the pushed bytes that is body. */
  #from = 0;
  #to = 0;

  constructor(handler: ResponseHandler) {
    this.#handler = handler;
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** Whether the server keeps the connection open after the response. */
  get keepsAlive(): boolean {
    return this.#keepsAlive;
  }

  /** Whether more bytes came than the response has; they answer no request. */
  get hasSurplus(): boolean {
    return this.#hasSurplus;
  }

  /** Parses bytes, which it may change. Returns the reason why they are no response, or null. */
  push(bytes: Buffer): string | null {
    this.#from = 0;
    this.#to = 0;
    const fault = this.#parse(bytes);
    if (this.#to > this.#from) this.#handler.onBody(bytes.subarray(this.#from, this.#to));
    if (fault !== null) this.#state = "failed";
    return fault;
  }

  /** The connection has ended, which is the end of some responses. */
  finish(): void {
    if (this.#state === "untilClose") this.#state = "done";
  }

  #parse(bytes: Buffer): string | null {
    let at = 0;
    while (at < bytes.length) {
      switch (this.#state) {
        case "head": {
          const taken = this.#takeHead(bytes, at);
          if (typeof taken === "string") return taken;
          at += taken;
          break;
        }
        case "untilClose":
          this.#addBody(bytes, at, bytes.length);
          return null;
        case "fixed":
        case "data": {
          const end = Math.min(bytes.length, at + this.#remaining);
          this.#addBody(bytes, at, end);
          this.#remaining -= end - at;
          at = end;
          if (this.#remaining === 0) this.#state = this.#state === "data" ? "dataCr" : "done";
          break;
        }
        case "done":
          this.#hasSurplus = true;
          return null;
        case "failed":
          return "the response is invalid";
        default: {
          const fault = this.#takeFraming(bytes[at] as number);
          if (fault !== null) return fault;
          at += 1;
        }
      }
    }
    return null;
  }

  /** Returns how many bytes belong to the head, or a fault. */
  #takeHead(bytes: Buffer, start: number): number | string {
    const before = this.#headText.length;
    const limit = MAX_HEAD_BYTES + HEAD_END.length;
    this.#headText += bytes.toString("latin1", start, Math.min(bytes.length, start + limit - before));
    const at = this.#headText.indexOf(HEAD_END, Math.max(0, before - HEAD_END.length));
    if (at === -1) {
      return this.#headText.length >= limit
        ? "the headers of the response are too long"
        : bytes.length - start;
    }
    const head = parseHead(this.#headText.slice(0, at));
    if (head === null || head.status === 101) return "the response is not HTTP/1.1";
    this.#headText = "";
    // Early hints and the like come before the response.
    if (head.status >= 200) this.#beginBody(head);
    return at + HEAD_END.length - before;
  }

  #beginBody(head: ResponseHead): void {
    const { framing, keepsAlive } = head;
    this.#keepsAlive = keepsAlive && framing.kind !== "untilClose";
    if (framing.kind === "chunked") this.#beginSize();
    else if (framing.kind === "untilClose") this.#state = "untilClose";
    else {
      this.#remaining = framing.length;
      this.#state = framing.length === 0 ? "done" : "fixed";
    }
    this.#handler.onHead(head);
  }

  #beginSize(): void {
    this.#state = "size";
    this.#remaining = 0;
    this.#sizeDigits = 0;
    this.#extra = "";
    this.#extraBytes = 0;
  }

  /** Moves the chunks of one read together, so that their text is decoded at once and not one by one. */
  #addBody(bytes: Buffer, start: number, end: number): void {
    if (this.#to === this.#from) {
      this.#from = start;
      this.#to = end;
      return;
    }
    if (start !== this.#to) bytes.copyWithin(this.#to, start, end);
    this.#to += end - start;
  }

  /** Takes a byte between chunks or behind them. */
  #takeFraming(byte: number): string | null {
    switch (this.#state) {
      case "size":
        return this.#takeSize(byte);
      case "extension":
        if (byte !== CR) return this.#takeExtra(byte);
        this.#state = "sizeEnd";
        return EXTENSION.test(this.#extra) ? null : INVALID_CHUNK;
      case "sizeEnd":
        this.#extra = "";
        this.#state = this.#remaining === 0 ? "trailer" : "data";
        return byte === LF ? null : INVALID_CHUNK;
      case "dataCr":
        this.#state = "dataLf";
        return byte === CR ? null : INVALID_CHUNK;
      case "dataLf":
        this.#beginSize();
        return byte === LF ? null : INVALID_CHUNK;
      default:
        return this.#takeTrailer(byte);
    }
  }

  /** Takes a byte behind the last chunk. */
  #takeTrailer(byte: number): string | null {
    switch (this.#state) {
      case "trailer":
        this.#state = byte === CR ? "lastLf" : "trailerText";
        return byte === CR ? null : this.#takeExtra(byte);
      case "trailerText":
        if (byte !== CR) return this.#takeExtra(byte);
        this.#state = "trailerLf";
        return parseHeaderLines([this.#extra]) === null ? INVALID_CHUNK : null;
      case "trailerLf":
        this.#extra = "";
        this.#state = "trailer";
        return byte === LF ? null : INVALID_CHUNK;
      default:
        this.#state = "done";
        return byte === LF ? null : INVALID_CHUNK;
    }
  }

  #takeSize(byte: number): string | null {
    const digit = hexDigit(byte);
    if (digit !== null) {
      this.#sizeDigits += 1;
      this.#remaining = this.#remaining * 16 + digit;
      return this.#sizeDigits > MAX_SIZE_DIGITS ? INVALID_CHUNK : null;
    }
    if (this.#sizeDigits === 0 || (byte !== CR && byte !== SEMICOLON)) return INVALID_CHUNK;
    this.#state = byte === CR ? "sizeEnd" : "extension";
    return null;
  }

  #takeExtra(byte: number): string | null {
    this.#extraBytes += 1;
    this.#extra += String.fromCharCode(byte);
    return this.#extraBytes > MAX_HEAD_BYTES ? "the response has too much beside its body" : null;
  }
}

const EXTENSION =
  /^[\w!#$%&'*+.^`|~-]+(?:=[\w!#$%&'*+.^`|~-]+)?(?:;[\w!#$%&'*+.^`|~-]+(?:=[\w!#$%&'*+.^`|~-]+)?)*$/;
const INVALID_CHUNK = "a chunk of the response is invalid";

function hexDigit(byte: number): number | null {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : null;
}
