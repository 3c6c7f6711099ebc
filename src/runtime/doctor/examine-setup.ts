/** The findings about a server's set-up: its program, home, configuration, hooks and sandbox. */
import { accessSync, constants } from "node:fs";
import { type Environment, version } from "../../base/environment.ts";
import { messageOf, osErrorText } from "../../base/errors.ts";
import { withOwnProductName } from "../../base/product-name.ts";
import type { Configuration } from "../../config/configuration.ts";
import { probeSandbox } from "../../sandbox/backends/open-sandbox.ts";
import {
  describeSkip,
  type HookView,
  needsTrust,
  trustCommand,
  type ViewedHooks,
} from "../workbench/view-hooks.ts";
import type { Finding } from "./finding.ts";

export function examineProgram(): Finding {
  return { subject: "program", verdict: "ok", message: `Heddle ${version} on Node ${process.versions.node}` };
}

export function examineHomeFolder(home: string): Finding {
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return { subject: "home", verdict: "ok", message: home };
  } catch (error) {
    const message = `${home}: ${osErrorText(error)}`;
    return { subject: "home", verdict: "problem", message, advice: `Make it writable: chmod u+rwx ${home}` };
  }
}

export async function* examineConfig(config: Configuration): AsyncGenerator<Finding> {
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
export async function* examineHooks(view: () => Promise<ViewedHooks>): AsyncGenerator<Finding> {
  const subject = "hooks";
  let found: ViewedHooks;
  try {
    found = await view();
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

export async function examineSandbox(env: Environment): Promise<Finding> {
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
