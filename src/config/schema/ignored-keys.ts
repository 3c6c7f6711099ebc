/**
 * Keys that are parsed and validated, so that a file written for Codex is accepted unchanged, but that have
 * no effect here. The server does not load this file; the reference page marks the keys.
 */

/** User interface keys: clients use them, and the server passes them on. */
const CLIENT_KEYS = [
  "desktop",
  "disable_paste_burst",
  "file_opener",
  "hide_agent_reasoning",
  "notice",
  "show_raw_agent_reasoning",
  "tui",
];

/** Keys of features that Heddle does not have, or configures otherwise. */
const WITHOUT_EFFECT = [
  "agents",
  "allow_symlinked_codex_home",
  "analytics",
  "apps",
  "apps_mcp_product_sku",
  "audio",
  "auto_review",
  "browser_use",
  "chatgpt_base_url",
  "check_for_update_on_startup",
  "cli_auth_credentials_store",
  "cloud",
  "computer_use",
  "experimental_realtime_start_instructions",
  "experimental_realtime_webrtc_call_base_url",
  "experimental_realtime_ws_backend_prompt",
  "experimental_realtime_ws_base_url",
  "experimental_realtime_ws_model",
  "experimental_realtime_ws_startup_context",
  "experimental_thread_store",
  "experimental_use_unified_exec_tool",
  "feedback",
  "forced_chatgpt_workspace_id",
  "ghost_snapshot",
  "history",
  "include_apps_instructions",
  "js_repl_node_module_dirs",
  "js_repl_node_path",
  "marketplaces",
  "mcp_enterprise_managed_auth",
  "mcp_servers.<name>.bearer_token",
  "mcp_servers.<name>.omit_tools_from",
  "mcp_servers.<name>.startup_readiness",
  "mcp_servers.<name>.startup_timeout_ms",
  "memories",
  "model_auto_compact_token_limit_scope",
  "model_catalog_json",
  "model_post_turn_compact_threshold_percent",
  "model_providers.<name>.credential_file",
  "model_providers.<name>.gateway_oauth",
  "model_providers.<name>.model_catalog_url",
  "model_providers.<name>.supports_standalone_web_search",
  "model_providers.<name>.supports_websockets",
  "model_providers.<name>.websocket_connect_timeout_ms",
  "orchestrator",
  "otel.exporter",
  "otel.log_agent_responses",
  "otel.log_guardian_assessments",
  "otel.log_user_prompt",
  "otel.tool_result",
  "otel.tracestate",
  "permissions.<name>.network.allow_local_binding",
  "permissions.<name>.network.allow_upstream_proxy",
  "permissions.<name>.network.dangerously_allow_all_unix_sockets",
  "permissions.<name>.network.dangerously_allow_non_loopback_proxy",
  "permissions.<name>.network.enable_socks5",
  "permissions.<name>.network.enable_socks5_udp",
  "permissions.<name>.network.mitm",
  "permissions.<name>.network.proxy_url",
  "permissions.<name>.network.socks_url",
  "plan_mode_reasoning_effort",
  "realtime",
  "responses_api_metadata",
  "shell_environment_policy.experimental_use_profile",
  "sqlite_home",
  "tool_suggest",
  "tools.experimental_request_user_input",
  "windows",
];

const covers = (keys: readonly string[], path: string): boolean =>
  keys.some((key) => path === key || path.startsWith(`${key}.`));

/** Which program uses a key: the server, clients only, or none. */
export function consumerOf(path: string): "server" | "clients" | "nobody" {
  const own = path.replace(/^profiles\.<name>\./u, "");
  if (covers(CLIENT_KEYS, own)) return "clients";
  return covers(WITHOUT_EFFECT, own) ? "nobody" : "server";
}
