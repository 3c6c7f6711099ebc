import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { examine, type Finding } from "../doctor/examine.ts";
import { globalOptions, readGlobalSettings } from "../global-options.ts";
import type { Command } from "../main.ts";

const MARKS = { ok: "ok  ", advice: "note", problem: "FAIL" } as const;

export const doctor: Command = {
  spec: {
    name: "heddle doctor",
    summary: "Check home, configuration, database, sandbox and model provider, and say what to do.",
    options: [{ name: "json", help: "Print the findings as JSON" }, ...globalOptions],
    examples: [
      { command: "heddle doctor", says: "Look at everything; ends with code 1 when something is wrong" },
      { command: "heddle doctor --json", says: "The same for programs" },
    ],
  },
  async run(own, program) {
    const settings = {
      ...readGlobalSettings(program, own),
      env: process.env,
      cwd: process.cwd(),
      userHome: homedir(),
      createId: randomUUID,
    };
    const findings: Finding[] = [];
    for await (const finding of examine(settings)) {
      findings.push(finding);
      if (!own.flag("json")) process.stdout.write(render(finding));
    }
    if (own.flag("json")) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
    return findings.some(({ verdict }) => verdict === "problem") ? 1 : 0;
  },
};

function render({ subject, verdict, says, advice }: Finding): string {
  const first = `${MARKS[verdict]}  ${subject.padEnd(14)} ${says}\n`;
  return advice === undefined ? first : `${first}${" ".repeat(21)}${advice}\n`;
}
