/** Adds a rule to the end of a rules file. Other servers may add to the same file at the same time. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { openToAppendSync } from "../../base/open-regular-file.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { MAX_RULES_BYTES } from "./load-rules.ts";
import { readHost } from "./network-host.ts";
import type { NetworkRule } from "./rule-set.ts";

export function allowRuleLine(prefix: readonly string[]): string {
  const words = prefix.map((word) => JSON.stringify(word)).join(", ");
  return `prefix_rule(pattern=[${words}], decision="allow")`;
}

/** Null when the host is none that a rule can name. */
export function networkRuleLine(rule: NetworkRule): string | null {
  const host = readHost(rule.host);
  if (!host.ok) return null;
  const decision = rule.decision === "forbidden" ? "deny" : rule.decision;
  const fields = { host: host.value, protocol: rule.protocol, decision };
  const all = rule.justification === null ? fields : { ...fields, justification: rule.justification };
  return `network_rule(${Object.entries(all)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(", ")})`;
}

/** The line is in the file whole or not at all, and once. */
export async function appendRuleLine(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const text = await readIfThere(path);
  if (text.split("\n").includes(line)) return;
  const added = `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
  const file = openToAppendSync(path, 0o666);
  try {
    writeFileSync(file, added);
    fsyncSync(file);
  } catch (error) {
    takeBack(file, text, added);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** A part of a rule, which a full disk may leave, would make the whole file one that cannot be read. */
function takeBack(file: number, before: string, added: string): void {
  const start = Buffer.byteLength(before);
  const rest = Buffer.alloc(Math.max(0, fstatSync(file).size - start));
  const found = rest.subarray(0, readSync(file, rest, 0, rest.length, start));
  if (Buffer.from(added).subarray(0, found.length).equals(found)) ftruncateSync(file, start);
}

async function readIfThere(path: string): Promise<string> {
  const read = await readRegularFile(path, { maxBytes: MAX_RULES_BYTES, from: "own" });
  if (read.kind === "read") return read.bytes.toString("utf8");
  if (read.reason === "missing") return "";
  throw new Error(read.message);
}
