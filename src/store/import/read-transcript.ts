/** The entries of one transcript file, in memory that its longest line bounds. The file is only read. */
import { openRegularFile } from "../../base/open-regular-file.ts";
import { forwardLines } from "../rollout/raw-lines.ts";
import { parseEntry, type TranscriptEntry } from "./transcript-entry.ts";

export type ReadLine =
  | { readonly kind: "entry"; readonly lineNumber: number; readonly entry: TranscriptEntry }
  | { readonly kind: "bad"; readonly lineNumber: number; readonly reason: string };

export interface ReadOptions {
  /** Lines behind this place are left for another time: the program may be writing them. */
  readonly to: number;
  readonly maxLineBytes?: number;
}

export async function* readTranscript(path: string, options: ReadOptions): AsyncGenerator<ReadLine> {
  const opened = await openRegularFile(path);
  if (opened.kind === "refused") throw new Error(opened.message);
  const { file } = opened;
  let lineNumber = 0;
  try {
    const range = { from: 0, to: options.to };
    for await (const batch of forwardLines(file, range, options.maxLineBytes)) {
      for (const { text, terminated } of batch) {
        lineNumber += 1;
        const parsed =
          text === null
            ? ({ kind: "bad", reason: "too long" } as const)
            : parseEntry(text.replace(/^\uFEFF/, ""));
        if (parsed.kind === "entry") yield { kind: "entry", lineNumber, entry: parsed.entry };
        else if (parsed.kind === "bad")
          yield {
            kind: "bad",
            lineNumber,
            reason: terminated ? `bad line: ${parsed.reason}` : "bad line: cut off",
          };
      }
    }
  } finally {
    await file.close();
  }
}
