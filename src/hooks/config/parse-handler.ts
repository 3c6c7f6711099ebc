/**
 * Parses one handler into its runnable form and the identity hashed for trust, or a reason why it is skipped.
 */
import { createTable, isTable, type TomlTable } from "../../config/toml/toml-value.ts";
import type { HookCondition, HookDialect, HookHandler } from "../configured-hook.ts";
import { hookEventOf } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";
import { allowVariables, type DialectFields, readClaudeFields } from "./claude-fields.ts";
import { hashedInput, sentInput } from "./convert-mcp-input.ts";
import { createHandlerFields, describeFieldValue, type HandlerFields } from "./handler-fields.ts";

export interface HandlerDefinition {
  readonly handler: HookHandler;
  readonly timeoutSeconds: number;
  readonly isAsync: boolean;
  readonly statusMessage: string | null;
  readonly additionalContextLimit: number | null;
  readonly onFailure: "open" | "closed";
  readonly endsTurn?: boolean;
  readonly condition?: HookCondition;
  /** The table that is hashed for trust. */
  readonly identity: TomlTable;
}

export type ParsedHandler =
  | { readonly ok: true; readonly definition: HandlerDefinition; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly warning: string };

export interface HandlerContext {
  readonly event: HookEventName;
  /** The file and the position in it. */
  readonly where: string;
  readonly dialect: HookDialect;
  readonly platform: NodeJS.Platform;
}

/** In seconds, for events without a default of their own. */
const DEFAULT_TIMEOUT = 600;
/** In tokens; an explicit value equal to the default is not part of the identity. */
const DEFAULT_CONTEXT_LIMIT = 2500n;

/**
 * Heddle's values, then those of Claude Code. Both are accepted in files of either dialect, so that no guard
 * is lost over its spelling.
 */
const ON_FAILURE = { open: "open", closed: "closed", continue: "open", block: "closed" } as const;

export function parseHandler(value: unknown, context: HandlerContext): ParsedHandler {
  const { where } = context;
  if (!isTable(value))
    return skip(`hook in ${where}`, `expected a table, found ${describeFieldValue(value)}`);
  const fields = createHandlerFields(value);
  const type = fields.optionalText("type");
  switch (type) {
    case "command":
      return parseCommand(fields, context);
    case "mcp_tool":
      return parseMcpTool(fields, context);
    case "http":
      return parseHttp(fields, context);
    case "prompt": {
      const model = fields.optionalText("model");
      const prompt = fields.text("prompt");
      const own = { prompt, ...(model !== null && { model }) };
      return finish(fields, context, { handler: { type, prompt, model }, own, isAsync: null });
    }
    case "module": {
      if (context.dialect === "claude") return wrongType(fields, type, context);
      const path = fields.text("path");
      const isAsync = fields.flag("async");
      return finish(fields, context, { handler: { type, path }, own: { path, async: isAsync }, isAsync });
    }
    case "agent":
      return { ok: false, warning: `skipping agent hook in ${where}: agent hooks are not supported yet` };
    default:
      return wrongType(fields, type, context);
  }
}

function wrongType(fields: HandlerFields, type: string | null, { event, where, dialect }: HandlerContext) {
  const types =
    dialect === "codex" ? "command, mcp_tool, http, prompt or module" : "command, mcp_tool, http or prompt";
  const problem = type === null ? "is missing" : `expected ${types}, found ${describeFieldValue(type)}`;
  return skip(`${event} hook in ${where}`, fields.fault() ?? `type: ${problem}`);
}

function skip(what: string, reason: string): ParsedHandler {
  return { ok: false, warning: `skipping ${what}: ${reason}` };
}

function parseCommand(fields: HandlerFields, context: HandlerContext): ParsedHandler {
  const everywhere = fields.optionalText("command");
  const onWindows = fields.optionalText("commandWindows", "command_windows");
  const isAsync = fields.flag("async");
  const isSandboxed = fields.flag("sandbox");
  const args = context.dialect === "claude" ? fields.list("args") : null;
  if (everywhere === null) fields.fail("command", "is missing");
  const command = (context.platform === "win32" ? onWindows : null) ?? everywhere ?? "";
  if (fields.fault() === null && command.trim() === "") {
    return { ok: false, warning: `skipping empty hook command in ${context.where}` };
  }
  return finish(fields, context, {
    handler: { type: "command", command, ...(args !== null && { args }), isSandboxed },
    own: {
      command,
      async: isAsync,
      ...(args !== null && { args: [...args] }),
      ...(isSandboxed && { sandbox: true }),
    },
    isAsync,
  });
}

function parseMcpTool(fields: HandlerFields, context: HandlerContext): ParsedHandler {
  const what = `MCP tool hook in ${context.where}`;
  if (hookEventOf(context.event).endsSession)
    return skip(what, `${context.event} MCP hooks are not supported`);
  const server = fields.optionalText("server");
  const tool = fields.optionalText("tool");
  const input = fields.table("input");
  if (server === null || tool === null) fields.fail(server === null ? "server" : "tool", "is missing");
  else if (server.trim() === "" || tool.trim() === "") return skip(what, "server and tool must not be empty");
  const named = { server: server ?? "", tool: tool ?? "" };
  const isWrong = fields.fault() !== null;
  return finish(fields, context, {
    handler: { type: "mcp_tool", ...named, input: isWrong ? {} : sentInput(input) },
    own: { ...named, input: isWrong ? {} : hashedInput(input) },
    isAsync: null,
  });
}

function parseHttp(fields: HandlerFields, context: HandlerContext): ParsedHandler {
  const url = fields.text("url");
  const headers = fields.texts("headers");
  const allowed = context.dialect === "claude" ? (fields.list("allowedEnvVars") ?? []) : null;
  const isAsync = fields.flag("async");
  if (fields.fault() === null && !isWebAddress(url)) {
    fields.fail(
      "url",
      `expected an address that begins with http:// or https://, found ${describeFieldValue(url)}`,
    );
  }
  return finish(fields, context, {
    handler: { type: "http", url, headers: allowed === null ? headers : allowVariables(headers, allowed) },
    own: {
      url,
      async: isAsync,
      ...(Object.keys(headers).length > 0 && { headers: createTable(Object.entries(headers)) }),
      ...(allowed !== null && allowed.length > 0 && { allowedEnvVars: [...allowed] }),
    },
    isAsync,
  });
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol);
}

interface OwnMembers {
  readonly handler: HookHandler;
  /** The handler-specific members that are hashed. */
  readonly own: TomlTable;
  /** Null for handler types that are always awaited. */
  readonly isAsync: boolean | null;
}

/**
 * Parses the members common to all handler types. Only members in use are part of the identity, so that it
 * equals the peer's where possible.
 */
function finish(
  fields: HandlerFields,
  context: HandlerContext,
  { handler, own, isAsync }: OwnMembers,
): ParsedHandler {
  const { event, where } = context;
  const { addsContext, endsSession } = hookEventOf(event);
  const warnings: string[] = [];
  const common = readDialectFields(fields, context, handler.type);
  warnings.push(...common.warnings);
  const statusMessage = fields.optionalText("statusMessage");
  const onFailure = ON_FAILURE[fields.choice("onFailure", ["open", "closed", "continue", "block"], "open")];
  const requested = handler.type === "mcp_tool" ? null : fields.count("additionalContextLimit");
  const limit = addsContext ? requested : null;
  const fault = fields.fault();
  if (fault !== null) return skip(`${event} hook in ${where}`, fault);
  if (isAsync === true && endsSession) {
    warnings.push(`running async ${event} hook synchronously in ${where}`);
  }
  if (requested !== null && limit === null) {
    const reason = "this event cannot emit additionalContext";
    warnings.push(`ignoring additionalContextLimit for ${event} hook in ${where}: ${reason}`);
  }
  const identity: TomlTable = { type: handler.type, ...own, ...common.identity };
  if (statusMessage !== null) identity["statusMessage"] = statusMessage;
  if (limit !== null && limit !== DEFAULT_CONTEXT_LIMIT) identity["additionalContextLimit"] = limit;
  if (onFailure === "closed") identity["onFailure"] = onFailure;
  return {
    ok: true,
    warnings,
    definition: {
      handler,
      ...common.members,
      isAsync: isAsync === true && endsSession !== true,
      statusMessage,
      additionalContextLimit: limit === null ? null : Number(limit),
      onFailure,
      identity,
    },
  };
}

function readDialectFields(
  fields: HandlerFields,
  context: HandlerContext,
  type: HookHandler["type"],
): DialectFields {
  const { event, where, dialect } = context;
  if (dialect === "claude") return readClaudeFields(fields, context, type);
  const limits = hookEventOf(event).timeouts?.codex;
  const requested = fields.count("timeout") ?? BigInt(limits?.default ?? DEFAULT_TIMEOUT);
  const max = limits?.max === undefined ? requested : BigInt(limits.max);
  const isClamped = requested > max;
  const timeout = isClamped ? max : requested < 1n ? 1n : requested;
  return {
    members: { timeoutSeconds: Number(timeout) },
    identity: { timeout },
    warnings: isClamped ? [`clamping ${event} hook timeout to ${timeout}s in ${where}`] : [],
  };
}
