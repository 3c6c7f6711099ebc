import { messageOf } from "../../base/errors.ts";
import type { ConfigOptions } from "../../runtime/configuration/config-source.ts";
import { type HookView, needsTrust, openHookViews } from "../hooks/hook-view.ts";
import { describeSkip } from "../hooks/render-hooks.ts";
import { trustCommand } from "../hooks/trust-command.ts";
import type { Finding } from "./finding.ts";

const subject = "hooks";
const MAX_NAMED = 10;

/** Whether all hooks of the folder run that somebody has configured. */
export async function* examineHooks(settings: ConfigOptions): AsyncGenerator<Finding> {
  let found: Awaited<ReturnType<typeof openHookViews>>;
  try {
    found = await openHookViews(settings, settings.cwd);
  } catch (error) {
    yield { subject, verdict: "problem", says: messageOf(error) };
    return;
  }
  for (const warning of found.warnings) yield { subject, verdict: "advice", says: warning };
  const skipped = found.views.filter(needsTrust);
  for (const view of skipped.slice(0, MAX_NAMED)) yield describe(view);
  if (skipped.length > MAX_NAMED) {
    yield {
      subject,
      verdict: "advice",
      says: `${skipped.length - MAX_NAMED} more do not run`,
      advice: "See heddle hooks list.",
    };
  }
  const running = found.views.filter(({ skipped: reason }) => reason === null).length;
  const off = found.views.length - running - skipped.length;
  yield {
    subject,
    verdict: "ok",
    says: `${running} of ${found.views.length} run${off > 0 ? `, ${off} switched off` : ""}`,
  };
}

function describe(view: HookView): Finding {
  const { hook, content, skipped } = view;
  if (content.refusal !== null && skipped === "refused") {
    return { subject, verdict: hook.isManaged ? "problem" : "advice", says: content.refusal.message };
  }
  return {
    subject,
    verdict: "advice",
    says: `${hook.key} does not run: ${describeSkip(view)}`,
    advice: `Look at it, and then: ${trustCommand(hook.key)}`,
  };
}
