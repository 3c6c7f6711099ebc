/** Adds a rule to the end of a rules file. Other servers may add to the same file at the same time. */
import { mkdir, open } from "node:fs/promises";
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

/** The line is written with one append, so that it is in the file whole or not at all; a line that is there stays alone. */
export async function appendRuleLine(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, "a+");
  try {
    const text = await file.readFile("utf8");
    if (text.split("\n").includes(line)) return;
    const start = text === "" || text.endsWith("\n") ? "" : "\n";
    await file.appendFile(`${start}${line}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
