/**
 * Redacts what leaves this machine in a file: likely secrets, secrets that are known by their value, and the path of the
 * home folder. It is done on whole texts, before anything is cut or divided, so that no part of a secret remains.
 */
import { isSecretName, redactSecrets, redactSecretsByLine } from "../../base/redact-secrets.ts";
import { parseAnsi } from "../../console/text/ansi.ts";
import { readImageData } from "../../console/text/image-data.ts";
import type { ThreadItem, Turn } from "../../protocol/generated/types.ts";

export interface Redaction {
  text(text: string): string;
  /** All texts of a value of JSON, at any depth. */
  value<T>(value: T): T;
  turn(turn: Turn): Turn;
}

const REDACTED = "[REDACTED_SECRET]";

export function createRedaction(options: {
  readonly secrets: readonly string[];
  readonly userHome: string;
}): Redaction {
  const { secrets } = options;
  const hideHome = createHomeFilter(options.userHome);
  const hideKnown = (text: string): string =>
    secrets.reduce((hidden, secret) => hidden.replaceAll(secret, REDACTED), text);
  const redact = (text: string): string => hideHome(redactSecrets(hideKnown(text)));
  const redactLines = (lines: readonly string[]): string[] =>
    hideHome(redactSecretsByLine(hideKnown(lines.join("\n")))).split("\n");

  function redactValue(value: unknown, name: string): unknown {
    if (typeof value === "string") {
      if (readImageData(value) !== null) return value;
      return value !== "" && isSecretName(name) ? REDACTED : redact(value);
    }
    if (Array.isArray(value)) return value.map((member) => redactValue(member, name));
    if (typeof value !== "object" || value === null) return value;
    const isImage = "type" in value && value.type === "image";
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        redact(key),
        isImage && key === "data" ? member : redactValue(member, key),
      ]),
    );
  }

  function redactItem(item: ThreadItem): ThreadItem {
    const redacted = redactValue(item, "") as ThreadItem;
    if (item.type === "commandExecution" && item.aggregatedOutput !== null)
      return { ...redacted, aggregatedOutput: redactOutput(item.aggregatedOutput, redact) } as ThreadItem;
    if (item.type !== "fileChange" || redacted.type !== "fileChange") return redacted;
    const changes = redacted.changes.map((change, index) => ({
      ...change,
      diff: redactDiff(item.changes[index]?.diff ?? "", redactLines),
    }));
    return { ...redacted, changes };
  }

  return {
    text: redact,
    value: <T>(value: T) => redactValue(value, "") as T,
    turn: (turn) => ({
      ...(redactValue({ ...turn, items: [] }, "") as Turn),
      items: turn.items.map(redactItem),
    }),
  };
}

/** A path in the home folder begins with `~`; folders whose names only begin like it are others. */
function createHomeFilter(userHome: string): (text: string) => string {
  if (userHome.length < 2) return (text) => text;
  const path = userHome.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = new RegExp(String.raw`(?<![\w.~-])${path}(?![\w.-])`, "g");
  return (text) => text.replaceAll(pattern, "~");
}

/** A secret may have sequences of the terminal in it. Then the output loses its colours, and the secret with them. */
function redactOutput(output: string, redact: (text: string) => string): string {
  const redacted = redact(output);
  const plain = redact(shownText(output));
  return shownText(redacted) === plain ? redacted : plain;
}

const shownText = (output: string): string =>
  parseAnsi(output)
    .map(({ text }) => text)
    .join("");

/** The lines before and after the change are read as they are in the file: a key may have several of them. */
function redactDiff(diff: string, redactLines: (lines: readonly string[]) => string[]): string {
  const lines = diff.split("\n");
  if (!lines.some((line) => line.startsWith("@@ "))) return redactLines(lines).join("\n");
  const shown = [...lines];
  for (const [ownSign, otherSign] of ["+-", "-+"]) {
    const own = [...lines.keys()].filter((at) => !lines[at]?.startsWith(otherSign ?? ""));
    const redacted = redactLines(own.map((at) => textOf(lines[at] ?? "")));
    for (const [index, at] of own.entries()) {
      const line = lines[at] ?? "";
      const text = redacted[index] ?? "";
      // A line that is the same on both sides may be redacted on one of them only.
      if (text !== textOf(line) || line.startsWith(ownSign ?? "")) shown[at] = signOf(line) + text;
    }
  }
  return shown.join("\n");
}

const signOf = (line: string): string => (/^[-+ ]/.test(line) ? line.charAt(0) : "");
const textOf = (line: string): string => line.slice(signOf(line).length);
