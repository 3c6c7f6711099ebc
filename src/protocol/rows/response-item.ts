// Items of the model provider's own vocabulary, as they are stored and injected.

import { ImageDetail } from "./input.ts";
import { ReasoningEffort } from "./mode.ts";
import {
  anyJson,
  anyOf,
  array,
  choice,
  define,
  either,
  map,
  nullable,
  object,
  openTagged,
  string,
  tagged,
  titled,
  u64,
} from "./shape.ts";

export const AgentMessageInputContent = define(
  "AgentMessageInputContent",
  tagged("type", { input_text: { text: string() }, encrypted_content: { encrypted_content: string() } }),
);
export const ConfigurationReasoning = define("ConfigurationReasoning", object({ effort: ReasoningEffort }));
export const ContentItem = define(
  "ContentItem",
  tagged("type", {
    input_text: { text: string() },
    input_image: either(
      "ImageReference",
      { detail: nullable(ImageDetail) },
      { image_url: string() },
      { file_id: string() },
    ),
    input_audio: { audio_url: string() },
    output_text: {
      text: string(),
      annotations: nullable(array(anyJson())),
      logprobs: nullable(array(anyJson())),
    },
  }),
);
export const FunctionCallOutputContentItem = define(
  "FunctionCallOutputContentItem",
  tagged("type", {
    input_text: { text: string() },
    input_image: either(
      "ImageReference",
      { detail: nullable(ImageDetail) },
      { image_url: string() },
      { file_id: string() },
    ),
    input_audio: { audio_url: string() },
    encrypted_content: { encrypted_content: string() },
  }),
);
export const FunctionCallOutputBody = define(
  "FunctionCallOutputBody",
  anyOf(string(), array(FunctionCallOutputContentItem)),
);
export const InternalChatMessageMetadataPassthrough = define(
  "InternalChatMessageMetadataPassthrough",
  object({ turn_id: nullable(string()) }),
);
export const LocalShellAction = define(
  "LocalShellAction",
  tagged("type", {
    exec: {
      command: array(string()),
      timeout_ms: nullable(u64()),
      working_directory: nullable(string()),
      env: nullable(map(string())),
      user: nullable(string()),
    },
  }),
);
export const LocalShellStatus = define("LocalShellStatus", choice("completed", "in_progress", "incomplete"));
export const MessagePhase = define("MessagePhase", choice("commentary", "partial_answer", "final_answer"));
export const ReasoningItemContent = define(
  "ReasoningItemContent",
  tagged("type", { reasoning_text: { text: string() }, text: { text: string() } }),
);
export const ReasoningItemReasoningSummary = define(
  "ReasoningItemReasoningSummary",
  tagged("type", { summary_text: { text: string() } }),
);
export const ResponseWebSearchAction = define(
  "ResponseWebSearchAction",
  titled(
    "WebSearchAction",
    openTagged("type", {
      search: { query: nullable(string()), queries: nullable(array(string())) },
      open_page: { url: nullable(string()) },
      find_in_page: { url: nullable(string()), pattern: nullable(string()) },
      other: {},
    }),
  ),
);
export const ResponseItem = define(
  "ResponseItem",
  openTagged("type", {
    additional_tools: { id: nullable(string()), role: string(), tools: array(anyJson()) },
    message: {
      encrypted_content: nullable(string()),
      status: nullable(string()),
      id: nullable(string()),
      role: string(),
      content: array(ContentItem),
      phase: nullable(MessagePhase),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    agent_message: {
      id: nullable(string()),
      author: string(),
      recipient: string(),
      content: array(AgentMessageInputContent),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    reasoning: {
      id: nullable(string()),
      summary: array(ReasoningItemReasoningSummary),
      content: nullable(array(ReasoningItemContent)),
      encrypted_content: nullable(string()),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    local_shell_call: {
      encrypted_content: nullable(string()),
      id: nullable(string()),
      call_id: nullable(string()),
      status: LocalShellStatus,
      action: LocalShellAction,
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    function_call: {
      encrypted_content: nullable(string()),
      status: nullable(string()),
      id: nullable(string()),
      name: string(),
      namespace: nullable(string()),
      arguments: string(),
      encrypted_function_args: nullable(array(string())),
      call_id: string(),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    tool_search_call: {
      encrypted_content: nullable(string()),
      id: nullable(string()),
      call_id: nullable(string()),
      status: nullable(string()),
      execution: string(),
      arguments: anyJson(),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    function_call_output: {
      id: nullable(string()),
      call_id: nullable(string()),
      name: nullable(string()),
      namespace: nullable(string()),
      output: FunctionCallOutputBody,
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    custom_tool_call: {
      encrypted_content: nullable(string()),
      id: nullable(string()),
      status: nullable(string()),
      call_id: string(),
      name: string(),
      namespace: nullable(string()),
      input: string(),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    custom_tool_call_output: {
      id: nullable(string()),
      call_id: string(),
      name: nullable(string()),
      output: FunctionCallOutputBody,
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    tool_search_output: {
      id: nullable(string()),
      call_id: nullable(string()),
      status: string(),
      execution: string(),
      tools: array(anyJson()),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    web_search_call: {
      encrypted_content: nullable(string()),
      id: nullable(string()),
      status: nullable(string()),
      action: nullable(ResponseWebSearchAction),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    image_generation_call: {
      encrypted_content: nullable(string()),
      id: nullable(string()),
      status: string(),
      revised_prompt: nullable(string()),
      result: string(),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    compaction: {
      id: nullable(string()),
      encrypted_content: string(),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    configuration_update: { reasoning: ConfigurationReasoning },
    compaction_trigger: {},
    context_compaction: {
      id: nullable(string()),
      encrypted_content: nullable(string()),
      internal_chat_message_metadata_passthrough: nullable(InternalChatMessageMetadataPassthrough),
    },
    other: {},
  }),
);
