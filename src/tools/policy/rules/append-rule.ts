/** Adds a rule to the end of a rules file. Other servers may add to the same file at the same time. */
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
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
  const file = await open(path, "a+");
  try {
    const text = await file.readFile("utf8");
    if (text.split("\n").includes(line)) return;
    const added = `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
    try {
      await file.appendFile(added);
      await file.sync();
    } catch (error) {
      await takeBack(file, text, added);
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** A part of a rule, which a full disk may leave, would make the whole file one that cannot be read. */
async function takeBack(file: FileHandle, before: string, added: string): Promise<void> {
  const start = Buffer.byteLength(before);
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), { position: start });
  const isOurs = Buffer.from(added).subarray(0, bytesRead).equals(buffer.subarray(0, bytesRead));
  if (isOurs) await file.truncate(start);
}
