/** Handler members that are specific to Claude Code files, or differ there. */
import type { TomlTable } from "../../config/toml/toml-value.ts";
import type { ConfiguredHook, HookCondition, HookHandler } from "../configured-hook.ts";
import { hookEventOf } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";
import { parseCondition } from "./condition.ts";
import { describeFieldValue, type HandlerFields } from "./handler-fields.ts";

/** Handler members that differ between dialects. */
export interface DialectFields {
  readonly members: Pick<ConfiguredHook, "timeoutSeconds" | "condition" | "endsTurn" | "wakes">;
  /** The part of them that is hashed into the handler's identity. */
  readonly identity: TomlTable;
  readonly warnings: readonly string[];
}

export interface ClaudeHandlerContext {
  readonly event: HookEventName;
  /** The file and the position in it. */
  readonly where: string;
}

/** An invalid member fails the whole handler, through `fields`. */
export function readClaudeFields(
  fields: HandlerFields,
  { event, where }: ClaudeHandlerContext,
  type: HookHandler["type"],
): DialectFields {
  const warnings: string[] = [];
  const ignore = (name: string, reason: string) =>
    warnings.push(`ignoring ${name} for ${event} hook in ${where}: ${reason}`);
  if (fields.flag("once")) ignore("once", "the hook runs each time");
  const wakes = readWakes(fields, type, ignore);
  const continuesOnBlock = fields.flag("continueOnBlock");
  const shell = fields.optionalText("shell");
  if (shell !== null && shell !== "bash") {
    fields.fail("shell", `expected "bash", found ${describeFieldValue(shell)}`);
  }
  const timeoutSeconds = chooseTimeout(fields.amount("timeout"), event, type, (seconds) =>
    warnings.push(`clamping ${event} hook timeout to ${seconds}s in ${where}`),
  );
  const { condition, written } = readCondition(fields, event);
  return {
    members: {
      timeoutSeconds,
      ...(condition !== null && { condition }),
      ...(type === "prompt" && !continuesOnBlock && { endsTurn: true }),
      ...(wakes && { wakes: true as const }),
    },
    warnings,
    identity: {
      timeout: Number.isSafeInteger(timeoutSeconds) ? BigInt(timeoutSeconds) : timeoutSeconds,
      ...(written !== null && { if: written }),
      ...(type === "prompt" && continuesOnBlock && { continueOnBlock: true }),
      ...(wakes && { asyncRewake: true }),
    },
  };
}

/** An event waits for a hook without `async`, whose exit code then blocks it. */
function readWakes(
  fields: HandlerFields,
  type: HookHandler["type"],
  ignore: (name: string, reason: string) => void,
): boolean {
  if (!fields.flag("asyncRewake")) return false;
  const wakes = type === "command" && fields.flag("async");
  if (!wakes) ignore("asyncRewake", "only a command with `async` wakes a thread");
  return wakes;
}

/**
 * An unsupported condition fails the handler, because ignoring it would run the hook too often or too rarely.
 */
function readCondition(
  fields: HandlerFields,
  event: HookEventName,
): { readonly condition: HookCondition | null; readonly written: string | null } {
  const written = fields.optionalText("if");
  if (written === null) return { condition: null, written };
  if (hookEventOf(event).claude?.tool === undefined) {
    fields.fail("if", `${event} is about no tool, so that the hook would never run; leave it out`);
    return { condition: null, written };
  }
  const parsed = parseCondition(written);
  if (parsed.ok) return { condition: parsed.condition, written };
  fields.fail("if", parsed.reason);
  return { condition: null, written };
}

const DEFAULT_TIMEOUT = 600;
const PROMPT_TIMEOUT = 30;
const MIN_TIMEOUT = 0.1;
const MAX_TIMEOUT = 86_400;

function chooseTimeout(
  given: number | null,
  event: HookEventName,
  type: HookHandler["type"],
  onClamped: (seconds: number) => void,
): number {
  const limits = hookEventOf(event).timeouts?.claude;
  const max = limits?.max ?? MAX_TIMEOUT;
  if (given === null) {
    const ofKind = type === "prompt" ? PROMPT_TIMEOUT : DEFAULT_TIMEOUT;
    return Math.min(limits?.default ?? ofKind, ofKind);
  }
  if (given > max) onClamped(max);
  return Math.max(MIN_TIMEOUT, Math.min(given, max));
}

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/gu;

/** Removes references to variables that are not allowed to leave the machine. */
export function allowVariables(
  headers: Readonly<Record<string, string>>,
  allowed: readonly string[],
): Readonly<Record<string, string>> {
  const filled = Object.create(null) as Record<string, string>;
  for (const [name, template] of Object.entries(headers)) {
    filled[name] = template.replace(VARIABLE, (_all, braced?: string, bare?: string) => {
      const variable = braced ?? bare ?? "";
      return allowed.includes(variable) ? `\${${variable}}` : "";
    });
  }
  return filled;
}
