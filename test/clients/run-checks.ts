import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { within } from "../support/within.ts";
import type { Check, Client, Outcome, Result, Side } from "./client.ts";
import { openClientHarness } from "./harness.ts";

const CHECK_DEADLINE = 60_000;

export interface RunOptions {
  readonly sides: readonly Side[];
  readonly homes: string;
  readonly peer: string;
  /** The folders of the clients, by name, or the reason why one could not be fetched. */
  readonly folders: ReadonlyMap<string, { readonly folder: string } | { readonly missing: string }>;
  readonly done: (result: Result) => void;
}

/** Runs all checks of all clients one after the other, so that none slows down another. */
export async function runChecks(clients: readonly Client[], options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const client of clients) {
    for (const check of client.checks) {
      for (const side of options.sides) {
        const outcome = await makeCheck(client, check, side, options);
        const result = { client: client.name, check: check.name, side, outcome };
        results.push(result);
        options.done(result);
      }
    }
  }
  return results;
}

async function makeCheck(client: Client, check: Check, side: Side, options: RunOptions): Promise<Outcome> {
  const fetched = options.folders.get(client.name) ?? { missing: "it was not fetched" };
  if ("missing" in fetched) return { kind: "skipped", reason: fetched.missing };
  if (side === "peer" && check.heddleOnly !== undefined) return { kind: "skipped", reason: check.heddleOnly };
  const start = performance.now();
  const { harness, close } = await openClientHarness({ ...options, check, side, folder: fetched.folder });
  const crash = watchForCrash();
  try {
    await within(Promise.race([check.run(harness), crash.seen]), CHECK_DEADLINE, "the end of the check");
    return { kind: "ok", milliseconds: performance.now() - start };
  } catch (error) {
    return { kind: "failed", reason: oneLine(error) };
  } finally {
    await close();
    crash.stop();
  }
}

/** Why a client cannot run here; null if it can. */
export function missingProgram({ needs }: Client, path: string = process.env["PATH"] ?? ""): string | null {
  const missing = needs.filter(
    (program) => !path.split(delimiter).some((folder) => existsSync(join(folder, program))),
  );
  return missing.length === 0 ? null : `${missing.join(" and ")} cannot be found`;
}

/** Clients run in this process: an error that they do not catch is a failure of the running check. */
function watchForCrash() {
  let report: (error: unknown) => void = () => {};
  const seen = new Promise<never>((_resolve, reject) => {
    report = reject;
  });
  seen.catch(() => {});
  const events = ["uncaughtException", "unhandledRejection"] as const;
  for (const event of events) process.on(event, report);
  return { seen, stop: () => events.forEach((event) => void process.off(event, report)) };
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/gu, " ").trim().slice(0, 500);
}
