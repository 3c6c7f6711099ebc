import { existsSync } from "node:fs";
import { AppError, messageOf } from "../../base/errors.ts";
import type { Configuration } from "../../config/configuration.ts";
import { type ConfigOptions, openConfigSource } from "../../runtime/configuration/config-source.ts";
import { examineProvider } from "../../runtime/doctor/examine-provider.ts";
import {
  examineConfig,
  examineHomeFolder,
  examineHooks,
  examineProgram,
  examineSandbox,
} from "../../runtime/doctor/examine-setup.ts";
import type { Finding } from "../../runtime/doctor/finding.ts";
import {
  checkDatabase,
  checkDriver,
  damagedDatabases,
  databaseOf,
} from "../../store/open/home-maintenance.ts";
import { openHookViews } from "../hooks/hook-view.ts";
import { examineHistory } from "./examine-history.ts";

export interface DoctorOptions {
  /** Repairs the history where possible. */
  readonly repair: boolean;
  /** Sends a request to the model, which costs a few tokens. */
  readonly online: boolean;
  /** Called with each file of the history before it is read. */
  readonly onFile?: (done: number, path: string) => void;
}

/** Checks everything that a server needs, in order, and continues after a problem. */
export async function* examine(settings: ConfigOptions, options: DoctorOptions): AsyncGenerator<Finding> {
  yield examineProgram();
  let config: Configuration;
  try {
    config = await (await openConfigSource(settings)).get();
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof AppError && error.code === "config.invalid")
      yield {
        subject: "configuration",
        verdict: "problem",
        message,
        advice: "Correct it on the command line.",
      };
    else {
      const advice = "Set HEDDLE_HOME to a folder that you can write to.";
      yield { subject: "home", verdict: "problem", message, advice };
    }
    return;
  }
  yield examineHomeFolder(config.home);
  yield* examineConfig(config);
  yield* examineHooks(() => openHookViews(settings, settings.cwd));
  const fault = findDriverFault();
  // The message contains the remedy. Without a driver, the history cannot be checked.
  if (fault !== null) yield { subject: "database", verdict: "problem", message: fault };
  else {
    yield await examineDatabase(config.home, options);
    yield* await examineHistory(config.home, options);
  }
  yield await examineSandbox(settings.env);
  yield await examineProvider(config, settings, options);
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
  if (!repair && !existsSync(file)) return { subject, verdict: "ok", message: `${file}: none yet` };
  try {
    const warnings = checkDatabase({ where: home, repair });
    if (warnings.length > 0) return { subject, verdict: "advice", message: warnings.join(" ") };
    const [aside] = damagedDatabases(home);
    if (aside === undefined) return { subject, verdict: "ok", message: file };
    const message = `${file}; an earlier one was damaged, and is kept as ${aside}: what the log said could not be recovered may still be in it`;
    return { subject, verdict: "advice", message, advice: "Remove it when nothing is missing." };
  } catch (error) {
    const isDamaged = error instanceof AppError && error.code === "store.damaged";
    const advice = isDamaged ? REPLACED : MOVED_AWAY;
    return { subject, verdict: "problem", message: `${file}: ${messageOf(error)}`, advice };
  }
}

const MOVED_AWAY =
  "Move it away to start with a new one; the list of threads is then made again from their files.";
const REPLACED =
  "The next server, or `heddle doctor --repair`, keeps it aside and starts with a new one: the list of threads is made again from their files, and the rest is brought over as far as it can be read.";
