/** The requirements about tools, items, input and utilities, by the peer's test module that shows them; see requirements.ts. */
import { type Row, under } from "./requirement-row.ts";

export const toolRequirements: Readonly<Record<string, readonly Row[]>> = {
  mcp_tool: [
    ["calls", "calls are items, with results, errors and time-outs", under("mcp", "calls", "time-out")],
    ["permission", "permission for a harmful tool is asked for", "mcp/permission"],
    ["client-calls", "a client calls a tool itself", "mcp/client-calls"],
    [
      "extensions",
      "servers hear the client's extensions that are meant for them",
      under("mcp", "extensions", "own-form-elsewhere"),
    ],
    [
      "full-access-input",
      "a user whose client fills in forms is asked in full access",
      under("mcp", "questions-in-full-access", "questions-in-full-access-declined", "questions-after-resume"),
    ],
    ["unknown-calls", "every call without a tool gets an output of its kind", "tools/unknown-calls"],
    ["switched-off", "view_image and shell_tool can be switched off", "tools/switched-off"],
  ],
  mcp_resource: [["read", "a resource is read", "mcp/resources"]],
  mcp_server_status: [
    ["list", "servers are listed with what they offer", under("mcp", "status", "status-pages", "login")],
    [
      "of-a-thread",
      "a thread's list shows today's configuration and its own connections",
      under("mcp", "status-of-thread", "status-of-the-dead"),
    ],
    [
      "oauth",
      "a user logs in to a server in the browser",
      under("mcp-oauth", "login", "denial", "other-state", "time-out"),
    ],
    ["oauth-own-path", "metadata of a server's own path, without an issuer", "mcp-oauth/own-path"],
    ["headers-helper", "headers that a program prints", "mcp-oauth/headers-helper"],
    ["oauth-forbidden", "no login to what requirements disable", "mcp-oauth/forbidden"],
  ],
  mcp_server_elicitation: [
    ["questions", "a server's question reaches the client", "mcp/questions"],
    ["question-notes", "what a server notes on its question", "mcp/question-notes"],
    ["client-questions", "a question outside of a turn makes the thread wait", "mcp/client-questions"],
  ],
  web_search: [["items", "a search is an item", "items/web-search"]],
  plan_item: [
    [
      "plan",
      "the plan of a message is an item of its own in Plan mode",
      under("items", "plan", "plan-only", "plan-whole", "plan-unclosed", "plan-twice", "plan-elsewhere"),
    ],
    [
      "update-plan",
      "the checklist of a task",
      under("tools", "update-plan", "update-plan-off", "update-plan-in-plan-mode"),
    ],
  ],
  turn_start: [
    [
      "item-mapping",
      "what the model says becomes items",
      under("items", "kinds", "citations", "foreign-user-messages", "foreign-hook-prompts", "no-message"),
    ],
    [
      "input-kinds",
      "images, recordings, skills and context reach the model",
      under(
        "input",
        "images",
        "local-images",
        "audio",
        "preview",
        "preview-skill",
        "remote-images",
        "skills-by-name",
        "additional-context",
        "additional-context-refused",
      ),
    ],
  ],
  view_image: [["refused", "what cannot be looked at is told to the model", "tools/view-image-refused"]],
  request_user_input: [
    [
      "questions",
      "questions go to the client",
      under("tools", "user-input", "user-input-refused", "user-input-elsewhere"),
    ],
  ],
  dynamic_tools: [
    [
      "calls",
      "tools of the client are called, whatever it answers",
      under(
        "tools",
        "dynamic-call",
        "dynamic-failure",
        "dynamic-empty",
        "dynamic-error",
        "dynamic-garbage",
        "dynamic-remote-image",
        "dynamic-namespace",
      ),
    ],
    ["refused", "tools that no provider would take", "tools/dynamic-refused"],
  ],
  command_exec: [
    [
      "apply-patch",
      "commands and scripts find apply_patch, which keeps line endings",
      ["command-exec/apply-patch", "shell/apply-patch-inside"],
    ],
    [
      "no-machine",
      "without a local environment commands, processes and files are refused",
      "command-exec/no-machine",
    ],
    [
      "commands",
      "commands of a client run within their limits",
      under("command-exec", "buffered", "refusals", "profile", "streaming", "terminal"),
    ],
    ["disconnect", "a process ends with its connection", "command-exec/last-frame"],
  ],
  process_exec: [
    ["processes", "processes of a client", under("process", "ends", "control", "refusals")],
    ["terminals", "commands that were left running", under("background-terminals", "one", "clean")],
  ],
  fuzzy_file_search: [
    [
      "search",
      "files are found by a part of their name",
      under("fuzzy-search", "once", "ignored", "not-a-repository", "session"),
    ],
  ],
  fs: [
    ["watch", "files and folders are watched", under("fs-watch", "file", "folder", "missing", "names")],
    ["paths", "a path with dots is worked out first", "fs/paths"],
  ],
  current_time: [
    [
      "clock",
      "the client's clock reaches the model",
      [...under("time", "of-the-client", "interval"), "turns/no-time-in-context"],
    ],
  ],
  sleep: [["sleep", "a sleep waits on the client's clock", "time/sleep-of-the-client"]],
};
