import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { printable } from "../../base/printable.ts";
import { resolveModelProvider } from "../../config/model-provider.ts";
import { type ConfigOptions, openConfigSource } from "../../runtime/configuration/config-source.ts";
import type { ImportOutcome, SkipReason } from "../../store/open/home-maintenance.ts";
import type { Command } from "../command-line/command.ts";
import { globalOptions, jsonOption, readGlobalSettings } from "../command-line/options.ts";
import { openProgress } from "../command-line/progress.ts";
import { type ImportReport, runImport } from "../import/run-import.ts";

export const importTranscripts: Command = {
  details: "Those that were imported before stay as they are.",
  options: [
    {
      name: "from",
      value: "PATH",
      repeat: true,
      help: "A folder with transcripts, or one transcript (default ~/.claude/projects)",
    },
    { name: "project", value: "DIR", help: "Only sessions of this folder and those below it" },
    {
      name: "since",
      value: "WHEN",
      help: "Only sessions that went on after this: 2026-11-01, or 12h, 7d, 4w for so long ago",
      validate: (text) => (parseSince(text, Date.now()) === null ? "not a day and not a span of time" : null),
    },
    { name: "dry-run", help: "Say what would be imported, and write nothing" },
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle import --dry-run", description: "Look at every session of Claude Code" },
    {
      command: "heddle import --project . --since 30d",
      description: "What was said about this project lately",
    },
  ],
  async run(args, chain) {
    const cwd = process.cwd();
    const settings: ConfigOptions = {
      ...readGlobalSettings(...chain),
      env: process.env,
      cwd,
      userHome: homedir(),
      createId: randomUUID,
    };
    const { home, modelProvider } = await readTarget(settings);
    const since = args.value("since");
    const project = args.value("project");
    const given = args.values("from");
    const roots = given.length > 0 ? given.map((path) => resolve(cwd, path)) : [defaultRoot()];
    const progress = openProgress(process.stderr, () => Date.now());
    const report = await runImport(
      roots,
      {
        home,
        modelProvider,
        cwd,
        project: project === undefined ? null : resolve(cwd, project),
        sinceMs: since === undefined ? null : parseSince(since, Date.now()),
        dryRun: args.flag("dry-run"),
      },
      {
        progress: (done, total, path) => progress.show(done, total, path),
        outcome(path, outcome) {
          const text = describe(path, outcome);
          if (text !== null) progress.line(text);
        },
      },
    );
    progress.end();
    process.stdout.write(
      args.flag("json") ? `${JSON.stringify(report, null, 2)}\n` : renderImportReport(report),
    );
    const foundNothing = report.files === 0 && report.skippedFiles.length > 0;
    return report.failed.length > 0 || foundNothing ? 1 : 0;
  },
};

/** The target home, and the model provider of the imported threads. */
async function readTarget(settings: ConfigOptions) {
  const source = await openConfigSource(settings);
  const effective = await (await source.get()).effective({ cwd: settings.cwd });
  if (!effective.ok) return { home: source.home, modelProvider: null };
  const resolved = resolveModelProvider(effective.value.values, { env: settings.env });
  // The demo model is only a fallback, so it is not stored as the provider: a provider that is configured later
  // continues the threads.
  const isReal = resolved.ok && resolved.provider.baseUrl !== null;
  return { home: source.home, modelProvider: isReal ? resolved.provider.id : null };
}

function defaultRoot(): string {
  return join(process.env["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude"), "projects");
}

function describe(path: string, outcome: ImportOutcome): string | null {
  switch (outcome.kind) {
    case "imported":
      return `${outcome.threadId}  ${outcome.title ?? path}`;
    case "failed":
      return `failed: ${outcome.message}`;
    case "known":
    case "leftOut":
      return null;
  }
}

/** Renders the summary of an import. */
export function renderImportReport(report: ImportReport): string {
  const { imported, dryRun, alreadyImported, grown, failed } = report;
  const turns = imported.reduce((sum, each) => sum + each.turns, 0);
  const items = imported.reduce((sum, each) => sum + each.items, 0);
  const verb = dryRun ? "Would import" : "Imported";
  const lines = [
    `${verb} ${count(imported.length, "thread")} (${count(turns, "turn")}, ${count(items, "item")}) from ${count(report.files, "transcript")}.`,
  ];
  if (alreadyImported > 0) lines.push(`Already imported: ${alreadyImported}.`);
  for (const { path, threadId } of grown)
    lines.push(`  ${path} has grown since; delete thread ${threadId} to import it anew`);
  lines.push(...section("Transcripts left out", report.skippedFiles));
  lines.push(...section("Lines left out", report.skippedLines));
  if (failed.length > 0) lines.push("Failed:", ...failed.map((message) => `  ${message}`));
  return `${lines.map(printable).join("\n")}\n`;
}

function section(title: string, reasons: readonly SkipReason[]): string[] {
  if (reasons.length === 0) return [];
  const width = Math.max(...reasons.map(({ count: times }) => `${times}`.length));
  return [
    `${title}:`,
    ...reasons.map(
      ({ reason, count: times, first }) => `  ${`${times}`.padStart(width)}  ${reason}, first ${first}`,
    ),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses `--since`: a day, a time, or a duration before now; null for invalid text. */
export function parseSince(text: string, nowMs: number): number | null {
  const [, amount, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (UNITS[unit] ?? 0);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  // A day alone begins at local midnight, not in UTC.
  const ms = Date.parse(text.length === 10 ? `${text}T00:00:00` : text);
  return Number.isNaN(ms) ? null : ms;
}
