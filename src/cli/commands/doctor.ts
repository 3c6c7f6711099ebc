import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { printableLines } from "../../base/printable.ts";
import type { Finding } from "../../runtime/doctor/finding.ts";
import type { Command } from "../command-line/command.ts";
import { globalOptions, jsonOption, readGlobalSettings } from "../command-line/options.ts";
import { openProgress } from "../command-line/progress.ts";
import { examine } from "../doctor/examine.ts";

const MARKS = { ok: "ok  ", advice: "note", problem: "FAIL" } as const;

export const doctor: Command = {
  details: "It says what to do about each finding.",
  options: [
    {
      name: "repair",
      help: "Mend the history where it can be mended; old files are kept, threads in use are left alone",
    },
    {
      name: "online",
      help: "Ask the configured model to reply with one word, which costs a few tokens, and report the outcome",
    },
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle doctor", description: "Look at everything; ends with code 1 when something is wrong" },
    { command: "heddle doctor --repair", description: "Mend what is wrong with the history as well" },
    {
      command: "heddle doctor --online",
      description: "Try the model as well: one tiny request, for 10 seconds at most",
    },
    { command: "heddle doctor --json", description: "The same for programs" },
  ],
  async run(args, chain) {
    const settings = {
      ...readGlobalSettings(...chain),
      env: process.env,
      cwd: process.cwd(),
      userHome: homedir(),
      createId: randomUUID,
    };
    const findings: Finding[] = [];
    const progress = openProgress(process.stderr, () => Date.now());
    const onFile = (done: number, path: string): void => progress.count(done, path);
    const wanted = { repair: args.flag("repair"), online: args.flag("online") };
    for await (const finding of examine(settings, { ...wanted, onFile })) {
      findings.push(finding);
      progress.end();
      if (!args.flag("json")) process.stdout.write(render(finding));
    }
    if (args.flag("json")) process.stdout.write(`${JSON.stringify(findings.map(toJson), null, 2)}\n`);
    return findings.some(({ verdict }) => verdict === "problem") ? 1 : 0;
  },
};

/** Programs read these names. */
function toJson({ subject, verdict, message, ...rest }: Finding) {
  return { subject, verdict, says: message, ...rest };
}

function render({ subject, verdict, message, advice }: Finding): string {
  const first = `${MARKS[verdict]}  ${subject.padEnd(14)} ${printableLines(message)}\n`;
  return advice === undefined ? first : `${first}${" ".repeat(21)}${printableLines(advice)}\n`;
}
