/**
 * The behaviours that Heddle owes to compatibility, one line each: where the peer's own tests (or its wire) show it,
 * and the scenario that proves it here, or the omission that explains why nothing does.
 */

import { approvalRequirements } from "./approval-requirements.ts";
import { hookRequirements } from "./hook-requirements.ts";
import { queueRequirements } from "./queue-requirements.ts";
import type { Row } from "./requirement-row.ts";
import { storedThreadRequirements } from "./stored-thread-requirements.ts";
import { toolRequirements } from "./tool-requirements.ts";
import { turnRequirements } from "./turn-requirements.ts";

export type Requirement = {
  readonly id: string;
  readonly behaviour: string;
  /** A module of the peer's test suite, or `wire` for what was measured on the wire. */
  readonly source: string;
} & ({ readonly scenarios: readonly string[] } | { readonly omission: string });

function module(source: string, rows: readonly Row[]): Requirement[] {
  return rows.map(([id, behaviour, proof]) => {
    const base = { id: `${source}/${id}`, behaviour, source };
    if (typeof proof === "string" && proof.startsWith("omitted: ")) {
      return { ...base, omission: proof.slice("omitted: ".length) };
    }
    return { ...base, scenarios: typeof proof === "string" ? [proof] : proof };
  });
}

export const requirements: readonly Requirement[] = [
  ...Object.entries(turnRequirements).flatMap(([source, rows]) => module(source, rows)),
  ...Object.entries(hookRequirements).flatMap(([source, rows]) => module(source, rows)),
  ...Object.entries(queueRequirements).flatMap(([source, rows]) => module(source, rows)),
  ...Object.entries(approvalRequirements).flatMap(([source, rows]) => module(source, rows)),
  ...Object.entries(toolRequirements).flatMap(([source, rows]) => module(source, rows)),
  ...Object.entries(storedThreadRequirements).flatMap(([source, rows]) => module(source, rows)),
  ...module("initialize", [
    [
      "originator",
      "the client's name starts the user agent; home and platform are told",
      "initialize/answer",
    ],
    [
      "probe-name",
      "the daemon's probe does not become the originator",
      "initialize/originator-not-from-codex-app-server-daemon",
    ],
    [
      "backend-name",
      "the backend does not become the originator",
      "initialize/originator-not-from-codex-backend",
    ],
    [
      "originator-override",
      "the environment can set the originator",
      "initialize/originator-from-environment",
    ],
    ["invalid-name", "a name that is no header value is refused", "initialize/bad-client-name"],
    [
      "opt-out",
      "opted-out notifications are not sent",
      ["initialize/opt-out", "initialize/opt-out-of-nothing"],
    ],
    ["notify-client", "the notify program learns the client's name", "initialize/client-name-in-notify"],
  ]),
  ...module("experimental_api", [
    ["mock-method", "an experimental method needs the capability", "experimental/left-out-methods"],
    ["realtime-start", "realtime start needs the capability", "experimental/left-out-methods"],
    ["realtime-webrtc", "realtime start over WebRTC needs the capability", "experimental/left-out-methods"],
    [
      "memory-mode",
      "setting the memory mode needs the capability",
      "experimental/methods-need-the-capability",
    ],
    [
      "settings-update",
      "updating thread settings needs the capability",
      "experimental/methods-need-the-capability",
    ],
    ["mock-field", "an experimental member needs the capability", "experimental/fields-need-the-capability"],
    ["no-dynamic-tools", "a thread starts without experimental members", "experimental/null-fields-are-free"],
    [
      "granular-policy",
      "an experimental value needs the capability",
      "experimental/variants-need-the-capability",
    ],
  ]),
  ...module("request_validation", [
    [
      "permission-profile",
      "the removed permissionProfile member fails closed",
      "requests/removed-permission-profile",
    ],
    [
      "unknown-field",
      "unknown members are ignored beside named permissions",
      "requests/unknown-field-with-permissions",
    ],
    ["remote-images", "remote image addresses are refused", "requests/remote-images"],
  ]),
  ...module("connection_handling_websocket", [
    [
      "per-connection",
      "handshake and answers belong to their connection",
      "websocket/connections-are-separate",
    ],
    ["rules-warning", "a project's rules warning goes to the requester", "websocket/broken-project-rules"],
    ["health", "health probes share the listener", "websocket/health"],
    ["origin", "a browser's Origin is refused", "websocket/origin"],
    [
      "capability-token",
      "a missing or wrong capability token is refused",
      ["websocket/capability-token", "websocket/capability-token-digest"],
    ],
    [
      "signed-token",
      "signed tokens are verified",
      ["websocket/signed-token", "websocket/signed-token-without-claims"],
    ],
    ["short-secret", "a short signing secret stops the start", "listen/auth-options"],
    ["non-loopback", "an open address without auth stops the start", "listen/open-network-needs-auth"],
    ["stays-loaded", "a thread outlives its last connection", "websocket/thread-stays-after-disconnect"],
  ]),
  ...module("connection_handling_websocket_unix", [
    ["ctrl-c-waits", "SIGINT waits for the running turn", "shutdown/sigint-waits-for-the-turn"],
    ["second-ctrl-c", "a second SIGINT does not wait", "shutdown/second-sigint-does-not-wait"],
    ["sigterm-waits", "SIGTERM waits for the running turn", "shutdown/sigterm-waits-for-the-turn"],
    ["second-sigterm", "a second SIGTERM does not wait", "shutdown/second-sigterm-does-not-wait"],
    ["sighup", "repeated SIGHUP keeps waiting", "shutdown/sighup-never-forces"],
  ]),
  ...module("thread_start", [
    [
      "environment-and-folder",
      "a folder beside a chosen machine is that of the thread, its trust and its configuration",
      ["environments/with-a-folder", "environments/without-a-folder", "environments/not-kept"],
    ],
    ["rules-warning", "broken rules are told once", ["rules/broken-at-start", "rules/broken-later"]],
    [
      "requirements",
      "a thread gets nothing that the administrator does not allow",
      ["config-requirements/new-threads", "config-requirements/changes"],
    ],
  ]),
  ...module("config_rpc", [
    [
      "managed-auth",
      "managed values are shown, enforced and read-only",
      "config-requirements/read-only-values",
    ],
    ["requirements-hooks", "managed hooks and remote control are told", "config-requirements/hooks"],
    [
      "requirements-browser",
      "browser and computer use demands are told",
      "config-requirements/browser-and-computer-use",
    ],
    ["requirements-updates", "demanded features are told", "config-requirements/features"],
    ["requirements-models", "demanded models and instructions are told", "config-requirements/models"],
    [
      "guardian",
      "a demanded reviewer turns off its successor",
      "config-requirements/reviewer-turns-off-a-feature",
    ],
    [
      "effective",
      "effective values, origins and layers",
      ["config-read/user-layer", "config-read/no-config", "config-read/without-layers"],
    ],
    ["tools", "tool settings with origins", "config-read/tools"],
    ["browser", "browser and computer use settings over layers", "config-read/browser-and-computer-use"],
    ["workspace-id", "one forced workspace", "config-read/one-forced-workspace"],
    ["workspace-ids", "several forced workspaces", "config-read/several-forced-workspaces"],
    ["web-search", "nested web search settings", "config-read/nested-web-search"],
    ["web-search-switch", "a web search switch shows as nothing", "config-read/web-search-switch"],
    ["apps", "settings of apps", "config-read/apps"],
    ["desktop", "desktop settings", "config-read/desktop"],
    [
      "project",
      "project layers for a folder",
      [
        "config-read/project-layer",
        "config-read/untrusted-project-layer",
        "config-read/nested-project-layers",
      ],
    ],
    ["root-markers", "managed root markers", "config-read/managed-root-markers"],
    [
      "system",
      "machine-wide layers and overrides",
      ["config-read/machine-layer", "config-read/managed-layer"],
    ],
    ["write", "a write replaces a value", "config-write/replaces-a-value"],
    ["write-desktop", "a write of a desktop setting", "config-write/desktop"],
    ["pipelined", "a read after a write sees it", "config-write/pipelined-read"],
    ["conflict", "a stale version is refused", "config-write/version-conflict"],
    ["batch", "a batch applies several edits", "config-write/batch"],
    ["batch-browser", "quoted keys and removals in a batch", "config-write/quoted-keys-and-removal"],
    ["batch-profiles", "legacy profile tables are refused", "config-write/legacy-profiles"],
    ["batch-desktop", "a batch of desktop settings", "config-write/batch-of-desktop-settings"],
  ]),
  ...module("strict_config", [
    [
      "unknown-field",
      "--strict-config refuses unknown fields",
      ["strict-config/unknown-field", "strict-config/nested-unknown-field"],
    ],
    ["managed-login", "login demands that permit nothing stop the start", "strict-config/managed-login"],
  ]),
  ...module("model_list", [
    ["all", "all visible models with a large limit", "models/list"],
    ["hidden", "hidden models when asked for", "models/list"],
    ["remote-catalog", "a ChatGPT account's remote catalog is the source", "omitted: chatgpt-accounts"],
    ["pages", "pages by cursor", "models/pages"],
    ["bad-cursor", "a bad cursor is refused", ["models/pages", "requests/cursors"]],
  ]),
  ...module("collaboration_mode_list", [
    ["presets", "the built-in modes in order", "collaboration-modes/list"],
  ]),
  ...module("permission_profile_list", [
    [
      "configured",
      "built-in and configured profiles",
      ["permission-profiles/built-in", "permission-profiles/configured"],
    ],
    ["project-pages", "a project's profiles, page by page", "permission-profiles/pages-of-a-project"],
    [
      "project-without-default",
      "a project's profiles without a default",
      "permission-profiles/project-without-default",
    ],
  ]),
  ...module("experimental_feature_list", [
    ["list", "every feature with its stage", ["features/list", "features/pages"]],
    ["thread", "the features of a thread's project", "features/of-a-thread"],
    ["unknown-thread", "an unknown thread is refused", "features/of-no-thread"],
    ["set", "a set feature shows in every read", "features/set-shows-everywhere"],
    ["user-wins", "the user's configuration wins", "features/set-yields-to-the-user"],
    ["named-only", "only named features change", "features/set-adds-up"],
    ["remote-control", "remote control can be set", "features/set-remote-control"],
    ["empty", "an empty set changes nothing", "features/set-adds-up"],
    ["invalid", "unknown and protected names are ignored", "features/set-ignores-others"],
  ]),
  ...module("skills_list", [
    ["bundled-cache", "turning bundled skills off keeps the shared cache", "omitted: bundled-skills"],
    ["bundled-per-folder", "bundled skills are switched per folder", "omitted: bundled-skills"],
    ["bundled-refresh", "turning bundled skills on refreshes the cache", "omitted: bundled-skills"],
    ["plugin-toggle", "switching remote plugins changes skills", "omitted: plugins"],
    ["plugin-cache", "skills of remote plugins come from the cache", "omitted: plugins"],
    ["alongside", "configuration reads complete alongside", "skills/reads-alongside"],
    ["no-environment", "without an executor project skills are skipped", "omitted: remote-executors"],
    ["relative", "relative folders are accepted", ["skills/relative-folder", "skills/no-folder"]],
    ["order", "the order of folders is kept", ["skills/order-of-folders", "skills/list", "skills/broken"]],
    ["plugin-roots", "a forced reload refreshes plugin roots", "omitted: plugins"],
    ["cached", "the list is kept until a forced reload", "skills/cached-until-forced"],
    ["extra-roots", "extra roots live as long as the process", "skills/extra-roots"],
    ["changed", "a change on disk is announced", "skills/changed"],
  ]),
  ...module("client_metadata", [
    ["turn", "turn metadata reach the model provider", "client-metadata/turn"],
    ["fork", "a fork tells its source", "client-metadata/fork"],
    ["review", "a review tells its parent", "client-metadata/review"],
    ["sub-agent", "a resumed sub-agent tells its lineage", "client-metadata/sub-agent"],
    ["steer", "a steer's metadata replace the turn's", "client-metadata/steer"],
    ["websocket", "metadata over the Responses WebSocket", "omitted: responses-websocket"],
  ]),
  ...module("logging", [
    ["credentials", "credentials of accounts stay out of the log database", "omitted: chatgpt-accounts"],
    ["json", "the log as JSON lines", "logging/json"],
    ["tool-call", "tool calls are logged with their timing", "logging/tool-call"],
  ]),
  ...module("server_diagnostics", [
    ["gauges", "process, memory and gauges", ["diagnostics/idle", "diagnostics/with-a-thread"]],
    ["gate", "diagnostics need the capability", "experimental/methods-need-the-capability"],
  ]),
  ...module("wire", [
    ["junk", "what is no message is ignored", "wire/junk-is-ignored"],
    ["ids", "ids are echoed as sent", "wire/ids-come-back-as-sent"],
    ["jsonrpc", "the jsonrpc member is accepted and not sent", "wire/jsonrpc-member"],
    ["unknown-members", "unknown members are ignored", "wire/unknown-members"],
    ["params", "when params may be left out", "wire/params"],
    ["stray-responses", "responses to nothing are dropped", "wire/responses-nobody-asked-for"],
    ["client-notifications", "client notifications are not answered", "wire/notifications-from-the-client"],
    ["initialized", "the initialized notification is not needed", "wire/initialized-is-optional"],
    ["emitted-at", "notifications carry emittedAtMs", "wire/notifications-carry-their-time"],
    ["pipelining", "requests may be pipelined", "wire/pipelined-requests"],
    ["text", "long and non-ASCII text arrives whole", "wire/long-and-strange-text"],
    ["lines", "line endings on stdio", "wire/line-endings"],
    ["frames", "frames on a WebSocket", "wire/frames"],
    ["first-originator", "the first client is the originator", "initialize/first-client-is-the-originator"],
    ["handshake-params", "malformed handshakes are refused", "initialize/bad-params"],
    ["handshake-order", "before and twice", "initialize/before-and-twice"],
    [
      "gate-after-form",
      "malformed requests are refused before the gate",
      "experimental/malformed-comes-first",
    ],
    ["gate-per-connection", "the capability is per connection", "experimental/per-connection"],
    ["mock-echo", "the mock method echoes", "experimental/mock-method"],
    ["unknown-method", "the text for unknown methods", "requests/unknown-method"],
    ["shape", "the texts for malformed params", "requests/shape"],
    ["older-policy", "`on-failure` is rejected on the wire", "requests/older-policy"],
    ["thread-id", "the texts for malformed thread ids", "requests/thread-ids"],
    ["unknown-thread", "the texts for unknown threads", "requests/unknown-thread"],
    ["cursor", "the texts for bad cursors", "requests/cursors"],
    ["input-length", "the bound on input", "requests/input-too-long"],
    ["file-system", "texts of the operating system", "requests/file-system-errors"],
    ["upgrade-path", "any path upgrades", "websocket/any-path-upgrades"],
    ["bad-upgrade", "broken upgrades are refused", "websocket/bad-upgrades"],
    ["host", "what the listener does with the Host header", "websocket/host"],
    ["unix", "the unix socket", ["unix/connections", "unix/default-path"]],
    [
      "idle-signals",
      "signals to an idle server",
      [
        "shutdown/sigterm-when-idle",
        "shutdown/sigint-when-idle",
        "shutdown/sighup-when-idle",
        "shutdown/sigterm-without-clients",
      ],
    ],
    [
      "stdio-end",
      "the end of input",
      ["shutdown/end-of-input", "shutdown/end-of-input-at-once", "shutdown/end-of-input-during-a-turn"],
    ],
    ["stdio-signals", "signals to a stdio server", ["shutdown/stdio-sigterm", "shutdown/stdio-sigint"]],
    ["listen-urls", "forms of --listen", ["listen/bad-urls", "listen/stdio-forms", "listen/off"]],
    ["auth-options", "authentication options", "listen/auth-options"],
    [
      "config-warnings",
      "unknown and broken configuration warns",
      [
        "strict-config/unknown-field-warns",
        "strict-config/broken-toml",
        "strict-config/wrong-type",
        "strict-config/known-fields",
      ],
    ],
    ["overrides", "-c overrides", "strict-config/command-line-overrides"],
    ["relative-cwd", "config/read for a relative folder", "config-read/relative-cwd"],
    ["write-strategies", "replace and upsert", "config-write/merge-strategies"],
    ["write-refusals", "edits that are refused", "config-write/refusals"],
    ["write-new-file", "a write makes the file", "config-write/no-file-yet"],
    ["write-managed", "a write of a managed value", "config-write/managed-value"],
    [
      "requirements",
      "configRequirements/read",
      ["config-requirements/none", "config-requirements/allowed-values"],
    ],
    ["untrusted-profiles", "profiles of untrusted projects", "permission-profiles/untrusted-project"],
    ["bundled-skills", "skills that the peer brings along", "skills/bundled"],
    [
      "first-generation",
      "a capability that the peer does not know",
      ["legacy/events-opted-out", "legacy/approval"],
    ],
    [
      "sandbox",
      "what a sandbox policy lets a command do",
      [
        "sandbox/read-only",
        "sandbox/workspace-write",
        "sandbox/kept-entries",
        "sandbox/network",
        "sandbox/exit",
      ],
    ],
  ]),
  // What the peer has not: the scenarios show what a client of Heddle may rely on.
  ...module("waiting", [
    ["positions", "durable events have positions, and are sent again after any of them", "waiting/positions"],
    ["wake", "an event wakes a thread, once for each key", "waiting/wake"],
    ["schedules", "turns start at a time", "waiting/schedules"],
    ["question", "open questions are listed, and answered by their ids", "waiting/question"],
    [
      "usage-limit",
      "a turn waits for the end of a usage limit where that is configured",
      "waiting/usage-limit",
    ],
    ["fallback-model", "an overloaded provider's request goes to the next model", "waiting/fallback-model"],
    ["webhooks", "deliveries of webhooks are listed, retried and tested", "waiting/webhooks"],
  ]),
  ...module("facts", [
    ["decisions", "decisions, rules and usage of all threads are listed", "facts/decisions"],
    ["queues", "queues of all threads are listed, and followed", "facts/queues"],
    ["hooks", "hooks are tried and their runs are listed", "facts/hooks"],
    ["devices", "devices are paired, listed and revoked", "facts/devices"],
    ["people", "a client reaches its own threads, and its changes are recorded", "facts/people"],
  ]),
];
