import { accessSync, constants, existsSync } from "node:fs";
import { type Environment, version } from "../../base/environment.ts";
import { AppError, messageOf, osErrorText } from "../../base/errors.ts";
import { withOwnProductName } from "../../base/product-name.ts";
import type { Configuration } from "../../config/configuration.ts";
import { type ConfigOptions, openConfigSource } from "../../runtime/configuration/config-source.ts";
import { probeSandbox } from "../../sandbox/backends/open-sandbox.ts";
import {
  checkDatabase,
  checkDriver,
  damagedDatabases,
  databaseOf,
} from "../../store/open/home-maintenance.ts";
import { examineHistory } from "./examine-history.ts";
import { examineHooks } from "./examine-hooks.ts";
import { examineProvider } from "./examine-provider.ts";
import type { Finding } from "./finding.ts";

export interface DoctorOptions {
  /** Repairs the history where it can be repaired. */
  readonly repair: boolean;
  /** Asks the model something, which costs a few tokens. */
  readonly online: boolean;
  /** Called with each file of the history before it is read. */
  readonly onFile?: (done: number, path: string) => void;
}

/** Looks at everything that a server needs, one after the other, and goes on after a problem. */
export async function* examine(settings: ConfigOptions, options: DoctorOptions): AsyncGenerator<Finding> {
  yield { subject: "program", verdict: "ok", says: `Heddle ${version} on Node ${process.versions.node}` };
  let config: Configuration;
  try {
    config = await (await openConfigSource(settings)).get();
  } catch (error) {
    const says = messageOf(error);
    if (error instanceof AppError && error.code === "config.invalid")
      yield { subject: "configuration", verdict: "problem", says, advice: "Correct it on the command line." };
    else {
      const advice = "Set HEDDLE_HOME to a folder that you can write to.";
      yield { subject: "home", verdict: "problem", says, advice };
    }
    return;
  }
  yield examineHome(config.home);
  yield* examineConfig(config);
  yield* examineHooks(settings);
  const fault = findDriverFault();
  // It says itself what to do, and without a driver the history cannot be looked at either.
  if (fault !== null) yield { subject: "database", verdict: "problem", says: fault };
  else {
    yield await examineDatabase(config.home, options);
    yield* await examineHistory(config.home, options);
  }
  yield await examineSandbox(settings.env);
  yield await examineProvider(config, settings, options);
}

function examineHome(home: string): Finding {
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return { subject: "home", verdict: "ok", says: home };
  } catch (error) {
    const says = `${home}: ${osErrorText(error)}`;
    return { subject: "home", verdict: "problem", says, advice: `Make it writable: chmod u+rwx ${home}` };
  }
}

async function* examineConfig(config: Configuration): AsyncGenerator<Finding> {
  const subject = "configuration";
  const report = await config.startup();
  if (!report.ok) {
    yield {
      subject,
      verdict: "problem",
      says: report.message,
      advice: `Correct it; the file is ${config.userFile}.`,
    };
    return;
  }
  for (const { summary, details } of report.warnings) {
    const broken = details !== null;
    const says = withOwnProductName(broken ? `${summary} ${details}` : summary);
    yield {
      subject,
      verdict: broken ? "problem" : "advice",
      says,
      ...(broken ? { advice: `Correct ${config.userFile}.` } : {}),
    };
  }
  if (report.warnings.length === 0) yield { subject, verdict: "ok", says: config.userFile };
}

function findDriverFault(): string | null {
  try {
    checkDriver();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function examineDatabase(home: string, { repair }: DoctorOptions): Promise<Finding> {
  const subject = "database";
  const file = databaseOf(home);
  if (!repair && !existsSync(file)) return { subject, verdict: "ok", says: `${file}: none yet` };
  try {
    const said = checkDatabase({ where: home, repair });
    if (said.length > 0) return { subject, verdict: "advice", says: said.join(" ") };
    const [aside] = damagedDatabases(home);
    if (aside === undefined) return { subject, verdict: "ok", says: file };
    const says = `${file}; an earlier one was damaged, and is kept as ${aside}: what the log said could not be recovered may still be in it`;
    return { subject, verdict: "advice", says, advice: "Remove it when nobody misses anything." };
  } catch (error) {
    const isDamaged = error instanceof AppError && error.code === "store.damaged";
    const advice = isDamaged ? REPLACED : MOVED_AWAY;
    return { subject, verdict: "problem", says: `${file}: ${messageOf(error)}`, advice };
  }
}

const MOVED_AWAY =
  "Move it away to start with a new one; the list of threads is then made again from their files.";
const REPLACED =
  "The next server, or `heddle doctor --repair`, keeps it aside and starts with a new one: the list of threads is made again from their files, and the rest is brought over as far as it can be read.";

async function examineSandbox(env: Environment): Promise<Finding> {
  const subject = "sandbox";
  const ability = await probeSandbox(env);
  switch (ability.kind) {
    case "bubblewrap":
      return { subject, verdict: "ok", says: `bubblewrap ${ability.version}` };
    case "seatbelt":
      return { subject, verdict: "ok", says: "Seatbelt" };
    case "none":
      return {
        subject,
        verdict: "advice",
        says: `commands cannot be confined: ${ability.reason}`,
        advice: ability.advice,
      };
  }
}
