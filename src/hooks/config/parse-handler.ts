/** Makes of one handler of a file what runs, and the form of it that is hashed for trust; or says why it does not count. */
import { createTable, isTable, type TomlTable } from "../../config/toml/toml-value.ts";
import type { HookCondition, HookDialect, HookHandler } from "../configured-hook.ts";
import { hookEventOf } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";
import { allowVariables, type DialectFields, readClaudeFields } from "./claude-fields.ts";
import { hashedInput, sentInput } from "./convert-mcp-input.ts";
import { createHandlerFields, describeValue, type HandlerFields } from "./handler-fields.ts";

export interface HandlerDefinition {
  readonly handler: HookHandler;
  readonly timeoutSeconds: number;
  readonly isAsync: boolean;
  readonly statusMessage: string | null;
  readonly additionalContextLimit: number | null;
  readonly onFailure: "open" | "closed";
  readonly endsTurn?: boolean;
  readonly condition?: HookCondition;
  /** What trust is given to. */
  readonly identity: TomlTable;
}

export type ParsedHandler =
  | { readonly ok: true; readonly definition: HandlerDefinition; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly warning: string };

export interface HandlerPlace {
  readonly event: HookEventName;
  /** The file and the place in it. */
  readonly where: string;
  readonly dialect: HookDialect;
  readonly platform: NodeJS.Platform;
}

/** In seconds, for events that have none of their own. */
const DEFAULT_TIMEOUT = 600;
/** In tokens; naming it is the same as naming none. */
const DEFAULT_CONTEXT_LIMIT = 2500n;

/** Heddle's words, then those of Claude Code. Files of either may use both: a guard is not lost over a word. */
const ON_FAILURE = { open: "open", closed: "closed", continue: "open", block: "closed" } as const;

export function parseHandler(value: unknown, place: HandlerPlace): ParsedHandler {
  const { where } = place;
  if (!isTable(value)) return skip(`hook in ${where}`, `expected a table, found ${describeValue(value)}`);
  const fields = createHandlerFields(value);
  const type = fields.optionalText("type");
  switch (type) {
    case "command":
      return parseCommand(fields, place);
    case "mcp_tool":
      return parseMcpTool(fields, place);
    case "http":
      return parseHttp(fields, place);
    case "prompt": {
      const model = fields.optionalText("model");
      const prompt = fields.text("prompt");
      const own = { prompt, ...(model !== null && { model }) };
      return finish(fields, place, { handler: { type, prompt, model }, own, isAsync: null });
    }
    case "module": {
      if (place.dialect === "claude") return wrongType(fields, type, place);
      const path = fields.text("path");
      const isAsync = fields.flag("async");
      return finish(fields, place, { handler: { type, path }, own: { path, async: isAsync }, isAsync });
    }
    case "agent":
      return { ok: false, warning: `skipping agent hook in ${where}: agent hooks are not supported yet` };
    default:
      return wrongType(fields, type, place);
  }
}

function wrongType(fields: HandlerFields, type: string | null, { event, where, dialect }: HandlerPlace) {
  const types =
    dialect === "codex" ? "command, mcp_tool, http, prompt or module" : "command, mcp_tool, http or prompt";
  const problem = type === null ? "is missing" : `expected ${types}, found ${describeValue(type)}`;
  return skip(`${event} hook in ${where}`, fields.fault() ?? `type: ${problem}`);
}

function skip(what: string, reason: string): ParsedHandler {
  return { ok: false, warning: `skipping ${what}: ${reason}` };
}

function parseCommand(fields: HandlerFields, place: HandlerPlace): ParsedHandler {
  const everywhere = fields.optionalText("command");
  const onWindows = fields.optionalText("commandWindows", "command_windows");
  const isAsync = fields.flag("async");
  const isSandboxed = fields.flag("sandbox");
  const args = place.dialect === "claude" ? fields.list("args") : null;
  if (everywhere === null) fields.fail("command", "is missing");
  const command = (place.platform === "win32" ? onWindows : null) ?? everywhere ?? "";
  if (fields.fault() === null && command.trim() === "") {
    return { ok: false, warning: `skipping empty hook command in ${place.where}` };
  }
  return finish(fields, place, {
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

function parseMcpTool(fields: HandlerFields, place: HandlerPlace): ParsedHandler {
  const what = `MCP tool hook in ${place.where}`;
  if (hookEventOf(place.event).endsSession) return skip(what, `${place.event} MCP hooks are not supported`);
  const server = fields.optionalText("server");
  const tool = fields.optionalText("tool");
  const input = fields.table("input");
  if (server === null || tool === null) fields.fail(server === null ? "server" : "tool", "is missing");
  else if (server.trim() === "" || tool.trim() === "") return skip(what, "server and tool must not be empty");
  const named = { server: server ?? "", tool: tool ?? "" };
  const isWrong = fields.fault() !== null;
  return finish(fields, place, {
    handler: { type: "mcp_tool", ...named, input: isWrong ? {} : sentInput(input) },
    own: { ...named, input: isWrong ? {} : hashedInput(input) },
    isAsync: null,
  });
}

function parseHttp(fields: HandlerFields, place: HandlerPlace): ParsedHandler {
  const url = fields.text("url");
  const headers = fields.texts("headers");
  const allowed = place.dialect === "claude" ? (fields.list("allowedEnvVars") ?? []) : null;
  const isAsync = fields.flag("async");
  if (fields.fault() === null && !isWebAddress(url)) {
    fields.fail(
      "url",
      `expected an address that begins with http:// or https://, found ${describeValue(url)}`,
    );
  }
  return finish(fields, place, {
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
  /** What of its own members is hashed. */
  readonly own: TomlTable;
  /** Null for a kind that is always waited for. */
  readonly isAsync: boolean | null;
}

/** What all kinds have. Only members that are used are part of the identity, so that it is the peer's where it can be. */
function finish(
  fields: HandlerFields,
  place: HandlerPlace,
  { handler, own, isAsync }: OwnMembers,
): ParsedHandler {
  const { event, where } = place;
  const { addsContext, endsSession } = hookEventOf(event);
  const warnings: string[] = [];
  const common = readDialectFields(fields, place, handler.type);
  warnings.push(...common.warnings);
  const statusMessage = fields.optionalText("statusMessage");
  const onFailure = ON_FAILURE[fields.choice("onFailure", ["open", "closed", "continue", "block"], "open")];
  const wanted = handler.type === "mcp_tool" ? null : fields.count("additionalContextLimit");
  const limit = addsContext ? wanted : null;
  const fault = fields.fault();
  if (fault !== null) return skip(`${event} hook in ${where}`, fault);
  if (isAsync === true && endsSession) {
    warnings.push(`running async ${event} hook synchronously in ${where}`);
  }
  if (wanted !== null && limit === null) {
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
  place: HandlerPlace,
  type: HookHandler["type"],
): DialectFields {
  const { event, where, dialect } = place;
  if (dialect === "claude") return readClaudeFields(fields, place, type);
  const limits = hookEventOf(event).timeouts?.codex;
  const wanted = fields.count("timeout") ?? BigInt(limits?.default ?? DEFAULT_TIMEOUT);
  const max = limits?.max === undefined ? wanted : BigInt(limits.max);
  const isClamped = wanted > max;
  const timeout = isClamped ? max : wanted < 1n ? 1n : wanted;
  return {
    members: { timeoutSeconds: Number(timeout) },
    identity: { timeout },
    warnings: isClamped ? [`clamping ${event} hook timeout to ${timeout}s in ${where}`] : [],
  };
}
