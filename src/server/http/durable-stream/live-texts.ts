import { encodeEvent } from "./encode-messages.ts";

export interface LiveTexts {
  add(text: string): void;
  /** Everything since the last call, as events; empty if there is nothing. */
  take(): string;
}

/** The live texts that wait for one reader. Those over the limit are dropped: the kept messages have what matters. */
export function createLiveTexts(maxBytes: number): LiveTexts {
  let waiting: string[] = [];
  let bytes = 0;
  return {
    add(text) {
      const event = encodeEvent("live", text);
      const size = Buffer.byteLength(event);
      if (bytes + size > maxBytes) return;
      bytes += size;
      waiting.push(event);
    },
    take() {
      const events = waiting.join("");
      waiting = [];
      bytes = 0;
      return events;
    },
  };
}
