// Keys that select the model, its provider, and its instructions.
import type { TomlTable } from "../toml/toml-value.ts";
import { anything, choice, fail, filePath, flag, integer, later, listOf, mapOf, text } from "./kind.ts";
import { optional, required, table, withDefault } from "./table.ts";

const effort = text({ notEmpty: "reasoning_effort" });

const commandAuth = later(() =>
  table("ModelProviderAuthInfo", {
    command: required(text(), "Program that prints a bearer token."),
    args: withDefault(listOf(text()), [], "Arguments of that program."),
    timeout_ms: withDefault(integer("a nonzero u64"), 5000, "How long the program may take."),
    refresh_interval_ms: withDefault(integer("u64"), 300_000, "Age at which the token is renewed."),
    cwd: optional(text(), "Folder that the program runs in."),
  }),
);

const provider = later(() =>
  table("ModelProviderInfo", {
    name: withDefault(text(), "", "Name shown to people."),
    base_url: optional(text(), "Where the API lives, up to and including its version."),
    model_catalog_url: optional(text(), "Where the provider lists its models."),
    env_key: optional(text(), "Environment variable that holds the API key."),
    env_key_instructions: optional(text(), "Advice for a user whose variable is missing."),
    experimental_bearer_token: optional(text(), "Bearer token written into the file; prefer env_key."),
    auth: optional(commandAuth, "A program that prints the bearer token."),
    gateway_oauth: optional(anything(), "OAuth settings of a gateway."),
    aws: optional(anything(), "AWS signing; for the Bedrock providers only."),
    project_id: optional(text(), "Cloud project of the provider."),
    location: optional(text(), "Cloud region of the provider."),
    credential_file: optional(text(), "File with cloud credentials."),
    wire_api: withDefault(
      choice(["responses", "chat", "messages"]),
      "responses",
      "Protocol that the provider speaks: OpenAI's Responses API or Chat Completions, or Anthropic's Messages API.",
    ),
    capabilities: optional(anything(), "What the provider can do beyond text."),
    query_params: optional(mapOf(text()), "Query parameters added to every request."),
    http_headers: optional(mapOf(text()), "Headers added to every request."),
    env_http_headers: optional(mapOf(text()), "Headers whose values come from environment variables."),
    request_max_retries: optional(integer("u64"), "Retries of a failed request; 4 when not set."),
    stream_max_retries: optional(integer("u64"), "Reconnections of a dropped stream; 5 when not set."),
    stream_idle_timeout_ms: optional(integer("u64"), "Silence that ends a stream; 300000 when not set."),
    websocket_connect_timeout_ms: optional(
      integer("u64"),
      "Limit for opening a WebSocket; 15000 when not set.",
    ),
    requires_openai_auth: withDefault(flag(), false, "Whether an OpenAI login or key is needed."),
    supports_websockets: withDefault(flag(), false, "Whether responses may come over a WebSocket."),
    supports_standalone_web_search: withDefault(flag(), false, "Whether web search has its own endpoint."),
  }),
);

const RESERVED = ["lmstudio", "ollama", "openai"];
const BEDROCK = ["amazon-bedrock", "amazon-bedrock-runtime"];

/** Rules between the keys of one provider and between provider names. */
export function checkProviders(providers: TomlTable): string | undefined {
  const reserved = Object.keys(providers).filter((id) => RESERVED.includes(id));
  if (reserved.length > 0) {
    const ids = reserved
      .sort()
      .map((id) => `\`${id}\``)
      .join(", ");
    return (
      `model_providers contains reserved built-in provider IDs: ${ids}. Built-in providers cannot be ` +
      "overridden. Rename your custom provider (for example, `openai-custom`)."
    );
  }
  for (const [id, entry] of Object.entries(providers)) {
    const violation = checkProvider(id, entry as TomlTable);
    if (violation !== undefined) return `model_providers.${id}: ${violation}`;
  }
  return undefined;
}

function checkProvider(id: string, entry: TomlTable): string | undefined {
  const { name, auth, aws } = entry as { name?: unknown; auth?: TomlTable; aws?: unknown };
  if (!BEDROCK.includes(id)) {
    if (aws !== undefined) {
      return `provider aws is only supported for ${BEDROCK.map((b) => `\`${b}\``).join(" or ")}`;
    }
    if (typeof name !== "string" || name.trim() === "") return "provider name must not be empty";
  }
  if (auth === undefined) return undefined;
  if (String(auth["command"]).trim() === "") return "provider auth.command must not be empty";
  const conflicts = ["env_key", "experimental_bearer_token", "requires_openai_auth"].filter(
    (key) => entry[key] !== undefined && entry[key] !== false,
  );
  return conflicts.length === 0 ? undefined : `provider auth cannot be combined with ${conflicts.join(", ")}`;
}

const providers = mapOf(provider);

export const modelKeys = {
  model: optional(text(), "Model that new threads use."),
  review_model: optional(text(), "Model that reviews use."),
  model_context_window: optional(
    integer("i64"),
    "Tokens that the model can see; the catalog knows it otherwise.",
  ),
  model_auto_compact_token_limit: optional(integer("i64"), "Tokens at which history is compacted."),
  model_auto_compact_token_limit_scope: optional(
    choice(["total", "body_after_prefix"]),
    "Which tokens count towards that limit.",
  ),
  model_post_turn_compact_threshold_percent: optional(
    integer("u8"),
    "Fill level at which a turn ends with compaction.",
  ),
  model_provider: optional(text(), "Provider that new threads use."),
  model_providers: withDefault(
    later(() => ({ ...providers, decode: withCheck(providers.decode) })),
    {},
    "Providers besides the built-in ones, by id.",
  ),
  model_reasoning_effort: optional(effort, "How hard the model thinks."),
  plan_mode_reasoning_effort: optional(effort, "How hard it thinks while planning."),
  model_reasoning_summary: optional(
    choice(["auto", "concise", "detailed", "none"]),
    "How much of its reasoning is summarised.",
  ),
  model_verbosity: optional(choice(["low", "medium", "high"]), "How long its answers are."),
  model_catalog_json: optional(filePath(), "File with a model catalog; read at start."),
  model_instructions_file: optional(filePath(), "File that replaces the built-in instructions."),
  service_tier: optional(text(), "Service tier that turns ask for."),
  personality: optional(choice(["none", "friendly", "pragmatic"]), "Tone of the answers."),
  oss_provider: optional(text(), "Local provider that is preferred: lmstudio or ollama."),
  openai_base_url: optional(text(), "Replaces the base URL of the built-in provider openai."),
  chatgpt_base_url: withDefault(text(), "https://chatgpt.com/backend-api/", "Where ChatGPT's own API lives."),
  responses_api_metadata: optional(mapOf(text()), "Metadata sent with every model request."),
  instructions: optional(text(), "System instructions."),
  developer_instructions: optional(text(), "Instructions inserted as a developer message."),
  compact_prompt: optional(text(), "Prompt for compaction."),
  experimental_compact_prompt_file: optional(filePath(), "File with the prompt for compaction."),
  include_permissions_instructions: withDefault(flag(), true, "Tell the model what it may do."),
  include_apps_instructions: withDefault(flag(), true, "Tell the model about apps."),
  include_collaboration_mode_instructions: withDefault(
    flag(),
    true,
    "Tell the model the collaboration mode.",
  ),
  include_environment_context: withDefault(flag(), true, "Tell the model about its environment."),
  include_environment_context_time: withDefault(flag(), true, "Include the time in that."),
  tool_output_token_limit: optional(integer("usize"), "Tokens of one tool output that stay in the context."),
  hide_agent_reasoning: withDefault(flag(), false, "Do not show reasoning."),
  show_raw_agent_reasoning: optional(flag(), "Show the raw reasoning where a model gives it."),
  daybreak: optional(flag(), "Setting of the peer's Daybreak surface."),
};

function withCheck(decode: typeof providers.decode): typeof providers.decode {
  return (value, path, reading) => {
    const node = decode(value, path, reading);
    if (node === undefined) return undefined;
    const violation = checkProviders(value as TomlTable);
    return violation === undefined ? node : fail(reading, path, violation);
  };
}
