/** `heddle lifecycle conformance` checks a program with the interface of `heddle lifecycle` against the fixtures. */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { systemClock } from "../../base/clock.ts";
import { definedOnly } from "../../base/environment.ts";
import { isObject } from "../../base/json-object.ts";
import { printable } from "../../base/printable.ts";
import { runHookCommand } from "../../hooks/run/run-command.ts";
import { createLocalHost } from "../../process/local-host.ts";
import type { ParsedArguments } from "../command-line/command.ts";
import { jsonOption } from "../command-line/options.ts";
import { type Case, type Expectation, readCases } from "./fixture-cases.ts";
import type { LifecycleCommand } from "./lifecycle-command.ts";
import { printJson, requiredOption } from "./translate.ts";

export const conformanceCommand: LifecycleCommand = {
  name: "conformance",
  summary: "Check a program against the fixtures of the lifecycle layer",
  details:
    "It is called as `COMMAND render --adapter ...` and `COMMAND read ...`, with JSON on its stdin, and must answer as `heddle lifecycle` does. Ends with code 1 where it does not.",
  options: [
    { name: "cmd", value: "COMMAND", help: "The program, as a shell takes it" },
    { name: "only", value: "TEXT", help: "Only cases with this in their id, such as codex/render" },
    {
      name: "jobs",
      value: "N",
      help: "How many run at once (default 2)",
      validate: (text) => (/^[1-9]\d?$/.test(text) ? null : "not a number from 1 to 99"),
    },
    { name: "fixtures", value: "DIR", help: "Fixtures of your own, in the same form" },
    jsonOption,
  ],
  examples: [
    { command: "heddle lifecycle conformance --cmd ./my-lifecycle", description: "All of it" },
    {
      command: "heddle lifecycle conformance --cmd 'heddle lifecycle' --only gemini",
      description: "What this program itself does for Gemini CLI",
    },
  ],
  run: runConformance,
};

interface Failure {
  readonly id: string;
  readonly reason: string;
}

const CASE_SECONDS = 30;
const SHOWN = 400;

async function runConformance(args: ParsedArguments): Promise<number> {
  const command = requiredOption(args, "cmd");
  const only = args.value("only") ?? "";
  const cases = readCases(args.value("fixtures") ?? packagedFixtures()).filter(({ id }) => id.includes(only));
  if (cases.length === 0) throw new Error("no case matches --only");
  const failures: Failure[] = [];
  const waiting = cases.values();
  const progress = createProgress(cases.length, args);
  const work = async (): Promise<void> => {
    for (const each of waiting) {
      const reason = await runCase(command, each);
      if (reason !== null) failures.push({ id: each.id, reason });
      progress.step();
    }
  };
  await Promise.all(Array.from({ length: Number(args.value("jobs") ?? 2) }, work));
  progress.end();
  if (args.flag("json")) printJson({ cases: cases.length, failures });
  else {
    for (const { id, reason } of failures) process.stdout.write(`${id}\n  ${printable(reason)}\n`);
    process.stdout.write(`${cases.length} cases, ${failures.length} failed\n`);
  }
  return failures.length === 0 ? 0 : 1;
}

/** The fixtures are beside the running program. */
function packagedFixtures(): string {
  return join(dirname(process.argv[1] ?? ""), "fixtures", "lifecycle");
}

/** Runs one case; returns the difference from the expectation, or null. */
async function runCase(command: string, { args, stdin, expect }: Case): Promise<string | null> {
  const host = createLocalHost();
  try {
    const result = await runHookCommand(
      { host, clock: systemClock },
      {
        argv: ["/bin/sh", "-c", `${command} "$@"`, "sh", ...args],
        cwd: process.cwd(),
        env: definedOnly(process.env),
        input: JSON.stringify(stdin),
        timeoutSeconds: CASE_SECONDS,
        signal: new AbortController().signal,
      },
    );
    if (result.kind !== "exited")
      return result.kind === "failed" ? result.message : "it has not ended in time";
    const reports = result.stderr.split("\n").flatMap(toReport);
    if (expect.may_refuse === true && result.exitCode === 2 && reports.length > 0) return null;
    return [...faultsOf(expect, result.exitCode, result.stdout, reports)][0] ?? null;
  } finally {
    await host.close();
  }
}

interface Report {
  readonly kind: unknown;
  readonly detail: unknown;
}

function* faultsOf(
  expect: Expectation,
  exit: number | null,
  stdout: string,
  reports: readonly Report[],
): Generator<string> {
  if (exit !== expect.exit) yield `ended with code ${exit}, expected ${expect.exit}`;
  if (expect.stdout !== undefined && stdout !== expect.stdout)
    yield `printed ${short(stdout)}, expected ${short(expect.stdout)}`;
  if (expect.stdout_sha256 !== undefined && !digestOf(stdout).startsWith(expect.stdout_sha256))
    yield `printed ${short(stdout)}, of which the SHA-256 does not begin with ${expect.stdout_sha256}`;
  if (expect.has !== undefined && !hasAll(parse(stdout), expect.has))
    yield `printed ${short(stdout)}, expected ${short(JSON.stringify(expect.has))}`;
  if (expect.error !== undefined && !reports.some(({ kind }) => kind === expect.error))
    yield `reported ${short(JSON.stringify(reports))}, expected the error ${expect.error}`;
  const reported = omittedIn(reports);
  const wanted = expect.not_expressed ?? reported;
  if (wanted === true ? reported.length === 0 : !isDeepStrictEqual(reported, wanted))
    yield `reported ${reported.join(", ") || "nothing"} as left out, expected ${wanted === true ? "something" : wanted.join(", ")}`;
}

function omittedIn(reports: readonly Report[]): readonly unknown[] {
  const omitted = reports.find(({ kind }) => kind === "not_expressed")?.detail;
  return Array.isArray(omitted) ? omitted.map((each: unknown) => (isObject(each) ? each["what"] : null)) : [];
}

/** Compares recursively; objects may have additional members. */
function hasAll(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return isDeepStrictEqual(value, wanted);
  return isObject(value) && Object.entries(wanted).every(([name, member]) => hasAll(value[name], member));
}

function toReport(line: string): readonly Report[] {
  const value = parse(line);
  return isObject(value) && "kind" in value ? [{ kind: value["kind"], detail: value["detail"] }] : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function short(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** A progress counter on a terminal. */
function createProgress(total: number, args: ParsedArguments) {
  const isShown = process.stderr.isTTY && !args.flag("json");
  let done = 0;
  return {
    step() {
      done += 1;
      if (isShown) process.stderr.write(`\r${done} of ${total} cases`);
    },
    end: () => void (isShown && process.stderr.write("\r\u001b[K")),
  };
}
