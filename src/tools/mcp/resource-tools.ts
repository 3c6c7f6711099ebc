/** Heddle's own tools for listing and reading resources of MCP servers. */
import { type Clock, startStopwatch } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { type Truncation, truncateMiddle } from "../../base/truncate-text.ts";
import {
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../tool.ts";
import { toCompletedItem, toStartedItem, withMargin } from "./call-result.ts";
import { describeMcpFault, type McpFault, type McpOutcome } from "./server/server-failure.ts";

/** The resource operations of a thread's servers. */
export interface ResourceServers {
  /** Names of the connected servers. */
  connected(): readonly string[];
  has(server: string): boolean;
  request(
    server: string,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<McpOutcome<JsonObject>>;
  list(
    server: string,
    method: string,
    member: string,
    signal: AbortSignal,
  ): Promise<McpOutcome<readonly JsonObject[]>>;
}

export interface ResourceToolOptions {
  readonly servers: ResourceServers;
  readonly clock: Clock;
  readonly truncation: () => Truncation;
}

/** The server name that stands for all servers, where a call names none. */
const ALL_SERVERS = "codex";

type Operation = (args: JsonObject, signal: AbortSignal) => Promise<JsonObject | string>;

export function createResourceTools(options: ResourceToolOptions): Tool[] {
  const { servers } = options;
  return [
    createTool("list_mcp_resources", lister(servers, "resources/list", "resources"), options),
    createTool(
      "list_mcp_resource_templates",
      lister(servers, "resources/templates/list", "resourceTemplates"),
      options,
    ),
    createTool("read_mcp_resource", reader(servers), options),
  ];
}

function createTool(
  name: keyof typeof RESOURCE_SPECS,
  operate: Operation,
  options: ResourceToolOptions,
): Tool {
  return {
    name,
    spec: { type: "function", name, ...RESOURCE_SPECS[name] },
    parallel: true,
    describeCall: describeFunctionCall,
    run: (call, context) => runTool(call, context, { ...options, operate }),
  };
}

async function runTool(
  call: ToolCall,
  { items, signal }: ToolContext,
  { servers, clock, truncation, operate }: ResourceToolOptions & { readonly operate: Operation },
): Promise<ToolResult> {
  const parsed = parseArguments(call.input);
  if (typeof parsed === "string") return refuseCall(`failed to parse function arguments: ${parsed}`);
  const missing =
    call.name === "read_mcp_resource" ? ["server", "uri"].find((key) => !(key in parsed)) : undefined;
  if (missing !== undefined)
    return refuseCall(`failed to parse function arguments: missing field \`${missing}\``);
  const server = nameIn(parsed, "server");
  if (server !== null && !servers.has(server)) return refuseCall(`unknown MCP server '${server}'`);
  if (server === null && nameIn(parsed, "cursor") !== null) {
    return refuseCall("cursor can only be used when a server is specified");
  }
  const invocation = {
    callId: call.callId,
    server: server ?? ALL_SERVERS,
    tool: call.name,
    args: parsed,
    definition: null,
  };
  items.begin(toStartedItem(invocation));
  const stopwatch = startStopwatch(clock);
  const payload = await operate(parsed, signal);
  const durationMs = stopwatch.elapsedMs();
  if (typeof payload === "string") {
    items.complete(toCompletedItem(invocation, { kind: "failed", message: payload }, durationMs));
    return refuseCall(payload);
  }
  const output = truncateMiddle(JSON.stringify(payload), withMargin(truncation()));
  const content = [{ type: "text", text: output }];
  const result = { kind: "answered", content, structuredContent: null, isError: false, meta: null } as const;
  items.complete(toCompletedItem(invocation, result, durationMs));
  return { output, success: true, value: { kind: "data", data: payload } };
}

function lister(servers: ResourceServers, method: string, member: string): Operation {
  return async (args, signal) => {
    const server = nameIn(args, "server");
    if (server === null) return { [member]: await listEverywhere(servers, method, member, signal) };
    const cursor = nameIn(args, "cursor");
    const outcome = await servers.request(server, method, cursor === null ? {} : { cursor }, signal);
    if (outcome.kind !== "answered") return describe(method, `\`${server}\``, outcome);
    const { [member]: found, nextCursor } = outcome.result;
    return {
      server,
      [member]: Array.isArray(found) ? found.filter(isObject).map((each) => ({ server, ...each })) : [],
      ...(typeof nextCursor === "string" && { nextCursor }),
    };
  };
}

/** A server that does not answer must not fail the whole list. */
async function listEverywhere(
  servers: ResourceServers,
  method: string,
  member: string,
  signal: AbortSignal,
): Promise<JsonObject[]> {
  const lists = await Promise.all(
    servers.connected().map(async (server) => {
      const outcome = await servers.list(server, method, member, signal);
      return outcome.kind === "answered" ? outcome.result.map((each) => ({ server, ...each })) : [];
    }),
  );
  return lists.flat();
}

function reader(servers: ResourceServers): Operation {
  return async (args, signal) => {
    const server = nameIn(args, "server");
    const uri = nameIn(args, "uri");
    if (server === null || uri === null) return `${server === null ? "server" : "uri"} must be provided`;
    const outcome = await servers.request(server, "resources/read", { uri }, signal);
    if (outcome.kind !== "answered") return describe("resources/read", `\`${server}\` (${uri})`, outcome);
    return { server, uri, ...outcome.result };
  };
}

function describe(method: string, target: string, fault: McpFault): string {
  return `${method} failed: ${method} failed for ${target}: ${describeMcpFault(fault)}`;
}

function nameIn(args: JsonObject, key: string): string | null {
  const value = args[key];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function parseArguments(input: string): JsonObject | string {
  if (input.trim() === "") return {};
  try {
    const value = JSON.parse(input) as unknown;
    return isObject(value) ? value : value === null ? {} : "expected an object";
  } catch (error) {
    return messageOf(error);
  }
}

const text = (description: string) => ({ type: "string", description });

const RESOURCE_SPECS = {
  list_mcp_resources: {
    description:
      "Lists what MCP servers offer to read: files, database schemas and other data that gives context. Prefer such resources over a web search where they answer the question.",
    strict: false,
    parameters: {
      type: "object",
      properties: {
        cursor: text("The cursor that an earlier call returned; leave it out for the first page."),
        server: text("Name of the MCP server. Leave it out to list the resources of all of them."),
      },
      additionalProperties: false,
    },
  },
  list_mcp_resource_templates: {
    description:
      "Lists the resource templates of MCP servers: addresses with parameters to fill in, behind which there are files, database schemas and other data that gives context. Prefer them over a web search where they answer the question.",
    strict: false,
    parameters: {
      type: "object",
      properties: {
        cursor: text("The cursor that an earlier call returned; leave it out for the first page."),
        server: text("Name of the MCP server. Leave it out to list the templates of all of them."),
      },
      additionalProperties: false,
    },
  },
  read_mcp_resource: {
    description: "Reads one resource of an MCP server.",
    strict: false,
    parameters: {
      type: "object",
      properties: {
        server: text("Name of the MCP server, as `list_mcp_resources` gives it in `server`."),
        uri: text("Address of the resource, as `list_mcp_resources` gives it."),
      },
      required: ["server", "uri"],
      additionalProperties: false,
    },
  },
};
