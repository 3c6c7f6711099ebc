// Keys of the peer's own user interfaces, which share the file: stored, validated and shown, but without
// effect here.
import { anything, choice, eitherOf, filePath, flag, integer, later, listOf, mapOf, text } from "./kind.ts";
import { optional, table, withDefault } from "./table.ts";
import { tui } from "./tui-keys.ts";

const enabledOnly = (name: string) => table(name, { enabled: optional(flag(), "On or off.") });

const migrationPrompts = later(() =>
  table("ExternalConfigMigrationPrompts", {
    home: optional(flag(), "Hide the offer for the home folder."),
    home_last_prompted_at: optional(integer("i64"), "When it was last made."),
    projects: withDefault(mapOf(flag()), {}, "Hide it by project."),
    project_last_prompted_at: withDefault(mapOf(integer("i64")), {}, "When it was last made by project."),
  }),
);

const notice = later(() =>
  table("Notice", {
    hide_gov_cloud_guidance: optional(flag(), "Do not show it again."),
    hide_full_access_warning: optional(flag(), "Do not show it again."),
    hide_world_writable_warning: optional(flag(), "Do not show it again."),
    fast_default_opt_out: optional(flag(), "Do not make the fast tier the default."),
    hide_rate_limit_model_nudge: optional(flag(), "Do not show it again."),
    hide_gpt5_1_migration_prompt: optional(flag(), "Do not show it again."),
    "hide_gpt-5.1-codex-max_migration_prompt": optional(flag(), "Do not show it again."),
    model_migrations: withDefault(mapOf(text()), {}, "Models that were replaced, and by which."),
    external_config_migration_prompts: withDefault(
      migrationPrompts,
      { home: null, home_last_prompted_at: null, projects: {}, project_last_prompted_at: {} },
      "Offers to import another program's configuration.",
    ),
  }),
);

const voices =
  "alloy arbor ash aube ballad breeze bubbie cedar coral cove echo ember haetsal hanul himari juniper leher maple " +
  "marin miko neer porto rindo rio rivage sage selva shimmer sol sonna spruce tinta vale verse viola";

export const clientKeys = {
  tui: optional(tui, "The peer's terminal interface."),
  notice: optional(notice, "Notices that were dismissed."),
  desktop: optional(mapOf(anything()), "Settings of desktop apps."),
  file_opener: withDefault(
    choice(["vscode", "vscode-insiders", "windsurf", "cursor", "none"]),
    "vscode",
    "Editor that links to files open in.",
  ),
  disable_paste_burst: optional(flag(), "Do not recognise pasted text by its speed."),
  check_for_update_on_startup: optional(flag(), "Look for updates."),
  analytics: optional(enabledOnly("AnalyticsConfigToml"), "Analytics of the peer."),
  feedback: optional(enabledOnly("FeedbackConfigToml"), "Feedback to the peer's makers."),
  audio: optional(
    table("RealtimeAudioToml", {
      microphone_channel: optional(
        eitherOf("MicrophoneChannels", integer("u16"), listOf(integer("u16"))),
        "Channels of the microphone.",
      ),
      microphone: optional(text(), "Microphone."),
      speaker: optional(text(), "Loudspeaker."),
    }),
    "Devices for voice.",
  ),
  realtime: optional(
    table("RealtimeToml", {
      version: optional(choice(["v1", "v2", "v3"]), "Version of the protocol."),
      type: optional(choice(["conversational", "transcription"]), "What a session is for."),
      transport: optional(choice(["webrtc", "websocket"]), "How audio travels."),
      voice: optional(choice(voices.split(" ")), "Voice."),
    }),
    "Voice sessions.",
  ),
  experimental_realtime_ws_base_url: optional(text(), "Address for voice over WebSocket."),
  experimental_realtime_webrtc_call_base_url: optional(text(), "Address for voice over WebRTC."),
  experimental_realtime_ws_model: optional(text(), "Model for voice."),
  experimental_realtime_ws_backend_prompt: optional(text(), "Instructions for voice."),
  experimental_realtime_ws_startup_context: optional(text(), "Context that a voice session starts with."),
  experimental_realtime_start_instructions: optional(text(), "Instructions for the agent when voice starts."),
  js_repl_node_path: optional(filePath(), "Without effect."),
  js_repl_node_module_dirs: optional(listOf(filePath()), "Without effect."),
  suppress_unstable_features_warning: optional(flag(), "Do not warn of unfinished features."),
};
