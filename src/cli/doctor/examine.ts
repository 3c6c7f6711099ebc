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
import { type HookView, needsTrust, openHookViews } from "../hooks/hook-view.ts";
import { describeSkip, trustCommand } from "../hooks/render-hooks.ts";
import { examineHistory } from "./examine-history.ts";
import { examineProvider } from "./examine-provider.ts";
import type { Finding } from "./finding.ts";

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
  yield { subject: "program", verdict: "ok", message: `Heddle ${version} on Node ${process.versions.node}` };
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
  yield examineHome(config.home);
  yield* examineConfig(config);
  yield* examineHooks(settings);
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

function examineHome(home: string): Finding {
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return { subject: "home", verdict: "ok", message: home };
  } catch (error) {
    const message = `${home}: ${osErrorText(error)}`;
    return { subject: "home", verdict: "problem", message, advice: `Make it writable: chmod u+rwx ${home}` };
  }
}

async function* examineConfig(config: Configuration): AsyncGenerator<Finding> {
  const subject = "configuration";
  const report = await config.startup();
  if (!report.ok) {
    yield {
      subject,
      verdict: "problem",
      message: report.message,
      advice: `Correct it; the file is ${config.userFile}.`,
    };
    return;
  }
  for (const { summary, details } of report.warnings) {
    const broken = details !== null;
    const message = withOwnProductName(broken ? `${summary} ${details}` : summary);
    yield {
      subject,
      verdict: broken ? "problem" : "advice",
      message,
      ...(broken ? { advice: `Correct ${config.userFile}.` } : {}),
    };
  }
  if (report.warnings.length === 0) yield { subject, verdict: "ok", message: config.userFile };
}

const MAX_NAMED_HOOKS = 10;

/** Reports configured hooks of the folder that do not run. */
async function* examineHooks(settings: ConfigOptions): AsyncGenerator<Finding> {
  const subject = "hooks";
  let found: Awaited<ReturnType<typeof openHookViews>>;
  try {
    found = await openHookViews(settings, settings.cwd);
  } catch (error) {
    yield { subject, verdict: "problem", message: messageOf(error) };
    return;
  }
  for (const warning of found.warnings) yield { subject, verdict: "advice", message: warning };
  const skipped = found.views.filter(needsTrust);
  for (const view of skipped.slice(0, MAX_NAMED_HOOKS)) yield describeSkippedHook(view);
  if (skipped.length > MAX_NAMED_HOOKS) {
    yield {
      subject,
      verdict: "advice",
      message: `${skipped.length - MAX_NAMED_HOOKS} more do not run`,
      advice: "See heddle hooks list.",
    };
  }
  const running = found.views.filter(({ skipped: reason }) => reason === null).length;
  const off = found.views.length - running - skipped.length;
  yield {
    subject,
    verdict: "ok",
    message: `${running} of ${found.views.length} run${off > 0 ? `, ${off} switched off` : ""}`,
  };
}

function describeSkippedHook(view: HookView): Finding {
  const subject = "hooks";
  const { hook, content, skipped } = view;
  if (content.refusal !== null && skipped === "refused") {
    return { subject, verdict: hook.isManaged ? "problem" : "advice", message: content.refusal.message };
  }
  return {
    subject,
    verdict: "advice",
    message: `${hook.key} does not run: ${describeSkip(view)}`,
    advice: `Look at it, and then: ${trustCommand(hook.key)}`,
  };
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

async function examineSandbox(env: Environment): Promise<Finding> {
  const subject = "sandbox";
  const ability = await probeSandbox(env);
  switch (ability.kind) {
    case "bubblewrap":
      return { subject, verdict: "ok", message: `bubblewrap ${ability.version}` };
    case "seatbelt":
      return { subject, verdict: "ok", message: "Seatbelt" };
    case "none":
      return {
        subject,
        verdict: "advice",
        message: `commands cannot be confined: ${ability.reason}`,
        advice: ability.advice,
      };
  }
}
