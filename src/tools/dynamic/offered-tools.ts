/** Parses and validates the tools that a client offers with a thread, in the current or the legacy form. */
import type {
  DynamicToolNamespaceTool,
  DynamicToolSpec,
  LegacyDynamicToolSpec,
} from "../../protocol/generated/types.ts";
import { readInputSchema } from "./input-schema.ts";

export type OfferedTools =
  | { readonly kind: "tools"; readonly tools: readonly DynamicToolSpec[] }
  | { readonly kind: "wrong"; readonly message: string };

/** The message is ready for an `invalid request` error. */
export function readOfferedTools(given: readonly (DynamicToolSpec | LegacyDynamicToolSpec)[]): OfferedTools {
  const legacy = given.filter(isLegacy);
  const canonical = given.filter((tool): tool is DynamicToolSpec => !isLegacy(tool));
  if (canonical.length > 0 && (legacy.length > 0 || canonical.some(speaksLegacy))) {
    return wrong("Invalid request: dynamic tools must use either canonical or legacy format consistently");
  }
  const tools = legacy.length > 0 ? byNamespace(legacy) : canonical;
  const fault = findFault(tools);
  return fault === null ? { kind: "tools", tools } : wrong(fault);
}

function wrong(message: string): OfferedTools {
  return { kind: "wrong", message };
}

function isLegacy(tool: DynamicToolSpec | LegacyDynamicToolSpec): tool is LegacyDynamicToolSpec {
  return !("type" in tool);
}

/** Legacy members are invalid in the current form, also within a namespace. */
function speaksLegacy(tool: DynamicToolSpec): boolean {
  const members = tool.type === "namespace" ? tool.tools : [];
  return [tool, ...members].some((each) => "namespace" in each || "exposeToContext" in each);
}

/** Legacy clients name the namespace with each tool; it takes the position of its first tool. */
function byNamespace(tools: readonly LegacyDynamicToolSpec[]): DynamicToolSpec[] {
  const namespaces = new Map<string, DynamicToolNamespaceTool[]>();
  return tools.flatMap((tool): DynamicToolSpec[] => {
    const { name, description, inputSchema, namespace } = tool;
    const deferLoading = tool.deferLoading ?? !(tool.exposeToContext ?? true);
    const entry = { type: "function", name, description, inputSchema, deferLoading } as const;
    if (namespace === undefined || namespace === null) return [entry];
    const known = namespaces.get(namespace);
    known?.push(entry);
    if (known !== undefined) return [];
    const all: DynamicToolNamespaceTool[] = [entry];
    namespaces.set(namespace, all);
    return [{ type: "namespace", name: namespace, description: "", tools: all }];
  });
}

const MAX_NAME = 128;
const MAX_NAMESPACE = 64;
const MAX_NAMESPACE_DESCRIPTION = 1024;
/** Names that providers use for their own tools. */
const RESERVED: ReadonlySet<string> = new Set([
  "api_tool",
  "browser",
  "computer",
  "container",
  "file_search",
  "functions",
  "image_gen",
  "multi_tool_use",
  "python",
  "python_user_visible",
  "submodel_delegator",
  "terminal",
  "tool_search",
  "web",
]);

type Namespace = Extract<DynamicToolSpec, { type: "namespace" }>;

function findFault(tools: readonly DynamicToolSpec[]): string | null {
  const names = new Set<string>();
  const namespaces = new Set<string>();
  for (const tool of tools) {
    const fault = tool.type === "function" ? toolFault(tool, null, names) : namespaceFault(tool, namespaces);
    if (fault !== null) return fault;
  }
  return null;
}

function namespaceFault(namespace: Namespace, seen: Set<string>): string | null {
  const { name, description, tools } = namespace;
  const fault = nameFault("dynamic tool namespace", name, MAX_NAMESPACE);
  if (fault !== null) return fault;
  if (Array.from(description).length > MAX_NAMESPACE_DESCRIPTION) {
    return `dynamic tool namespace description must be at most ${MAX_NAMESPACE_DESCRIPTION} characters`;
  }
  if (isMcp(name)) return `dynamic tool namespace is reserved: ${name}`;
  if (RESERVED.has(name)) {
    return `dynamic tool namespace collides with a reserved Responses API namespace: ${name}`;
  }
  if (seen.has(name)) return `duplicate dynamic tool namespace: ${name}`;
  seen.add(name);
  if (tools.length === 0) return `dynamic tool namespace must contain at least one tool: ${name}`;
  const names = new Set<string>();
  for (const tool of tools) {
    const toolProblem = toolFault(tool, name, names);
    if (toolProblem !== null) return toolProblem;
  }
  return null;
}

function toolFault(
  { name, inputSchema, deferLoading }: DynamicToolNamespaceTool,
  namespace: string | null,
  seen: Set<string>,
): string | null {
  const fault = nameFault("dynamic tool name", name, MAX_NAME);
  if (fault !== null) return fault;
  if (isMcp(name)) return `dynamic tool name is reserved: ${name}`;
  if (seen.has(name)) {
    const where = namespace === null ? "" : ` in namespace ${namespace}`;
    return `duplicate dynamic tool name${where}: ${name}`;
  }
  seen.add(name);
  if (deferLoading === true && namespace === null) {
    return `deferred dynamic tool must include a namespace: ${name}`;
  }
  const schema = readInputSchema(inputSchema);
  return schema.kind === "wrong"
    ? `dynamic tool input schema is not supported for ${name}: ${schema.message}`
    : null;
}

function nameFault(label: string, name: string, max: number): string | null {
  if (name.trim() === "") return `${label} must not be empty`;
  if (name.trim() !== name) return `${label} has leading/trailing whitespace: ${visible(name)}`;
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    return `${label} must match ^[a-zA-Z0-9_-]+$ to match Responses API: ${visible(name)}`;
  }
  if (name.length <= max) return null;
  return `${label} must be at most ${max} characters to match Responses API: ${visible(name)}`;
}

function isMcp(name: string): boolean {
  return name === "mcp" || name.startsWith("mcp__");
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Invisible characters are shown by their code. */
function visible(text: string): string {
  return text.replace(
    /['"\\]|[^\u0020-\u007e]/gu,
    (char) =>
      ESCAPES[char] ?? (/['"\\]/.test(char) ? `\\${char}` : `\\u{${char.codePointAt(0)?.toString(16)}}`),
  );
}
