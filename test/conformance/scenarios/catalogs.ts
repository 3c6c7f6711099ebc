/** Lists that a client shows: models, collaboration modes, permission profiles, and what the server is made of. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, refused, STDIO, STDIO_AND_WS } from "../steps.ts";

const TRUSTED = '[projects."{{workspace}}"]\ntrust_level = "trusted"\n';
const BUILT_IN = [":read-only", ":workspace", ":danger-full-access"].map((id) => ({
  id,
  description: null,
  allowed: true,
}));
const PROJECT_PROFILE = `[permissions.project]
description = "Project-scoped profile."

[permissions.project.filesystem]
":workspace_roots" = "write"
`;
const PROJECT = { id: "project", description: "Project-scoped profile.", allowed: true };

export const catalogScenarios: readonly Scenario[] = [
  {
    name: "models/list",
    about: "The models of the catalog are listed, hidden ones only when asked for; one is the default.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      call(
        "model/list",
        { limit: 100 },
        { as: "visible", expect: { result: { nextCursor: null, data: { $excludes: [{ hidden: true }] } } } },
      ),
      call(
        "model/list",
        { limit: 100, includeHidden: true },
        { as: "all", expect: { result: { nextCursor: null, data: { $includes: [{ hidden: true }] } } } },
      ),
      call(
        "model/list",
        {},
        { as: "no limit", expect: { result: { data: { $includes: [{ isDefault: true }] } } } },
      ),
    ],
  },
  {
    name: "models/pages",
    about: "Pages follow one another by cursor, and a cursor of nobody's making is refused.",
    transports: STDIO,
    steps: [
      initialize(),
      call("model/list", { limit: 1 }, { as: "first", expect: { result: { data: [{}], nextCursor: "1" } } }),
      call(
        "model/list",
        { limit: 1, cursor: "{{first.result.nextCursor}}" },
        { as: "second", expect: { result: { data: [{}] } } },
      ),
      call("model/list", { limit: 0 }, { as: "none wanted" }),
      call("model/list", { cursor: "1000" }, { as: "beyond the end" }),
      refused("model/list", { cursor: "invalid" }, "invalid cursor: invalid", "bad cursor"),
      call("model/list", { cursor: "-1" }, { as: "negative cursor" }),
    ],
  },
  {
    name: "collaboration-modes/list",
    about: "The collaboration modes are plan and default, in this order.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      call(
        "collaborationMode/list",
        {},
        { expect: { result: { data: [{ mode: "plan" }, { mode: "default" }] } } },
      ),
    ],
  },
  {
    name: "permission-profiles/built-in",
    about: "Without configuration there are the three built-in profiles.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      call("permissionProfile/list", {}, { expect: { result: { data: BUILT_IN, nextCursor: null } } }),
    ],
  },
  {
    name: "permission-profiles/configured",
    about: "Configured profiles follow the built-in ones, by name, with their descriptions.",
    transports: STDIO,
    config: {
      whole: `default_permissions = "dev"

[permissions.dev]
description = "Day-to-day coding work."

[permissions.dev.filesystem]
":workspace_roots" = "write"

[permissions.audit]
description = "Inspect without writes."

[permissions.audit.filesystem]
":workspace_roots" = "read"
`,
    },
    steps: [
      initialize(),
      call(
        "permissionProfile/list",
        {},
        {
          expect: {
            result: {
              data: [
                ...BUILT_IN,
                { id: "audit", description: "Inspect without writes.", allowed: true },
                { id: "dev", description: "Day-to-day coding work.", allowed: true },
              ],
              nextCursor: null,
            },
          },
        },
      ),
    ],
  },
  {
    name: "permission-profiles/pages-of-a-project",
    about: "A trusted project's profiles are listed for its folder, page by page.",
    transports: STDIO,
    config: { whole: `default_permissions = ":workspace"\n${TRUSTED}` },
    files: { "workspace/.codex/config.toml": PROJECT_PROFILE },
    steps: [
      initialize(),
      call(
        "permissionProfile/list",
        { limit: 3, cwd: "{{workspace}}" },
        { as: "first", expect: { result: { data: BUILT_IN, nextCursor: "3" } } },
      ),
      call(
        "permissionProfile/list",
        { limit: 3, cwd: "{{workspace}}", cursor: "{{first.result.nextCursor}}" },
        {
          as: "second",
          expect: { result: { data: [PROJECT], nextCursor: null } },
        },
      ),
      call("permissionProfile/list", {}, { as: "without the folder" }),
    ],
  },
  {
    name: "permission-profiles/project-without-default",
    about: "A project's profiles are found also where the user has chosen no default.",
    transports: STDIO,
    config: { whole: TRUSTED },
    files: { "workspace/.codex/config.toml": PROJECT_PROFILE },
    steps: [
      initialize(),
      call(
        "permissionProfile/list",
        { cwd: "{{workspace}}" },
        { expect: { result: { data: [...BUILT_IN, PROJECT], nextCursor: null } } },
      ),
    ],
  },
  {
    name: "permission-profiles/untrusted-project",
    about: "The profiles of a project that is not trusted are not listed.",
    transports: STDIO,
    config: { whole: "" },
    files: { "workspace/.codex/config.toml": PROJECT_PROFILE },
    steps: [
      initialize(),
      call("permissionProfile/list", { cwd: "{{workspace}}" }, { expect: { result: { data: BUILT_IN } } }),
    ],
  },
  {
    name: "diagnostics/idle",
    about:
      "The server tells its process, its memory and its gauges; the request itself is the one in flight.",
    transports: STDIO_AND_WS,
    volatile: [{ message: "response server/diagnostics", pointer: "/result/process/*" }],
    steps: [
      initialize(),
      call(
        "server/diagnostics",
        {},
        {
          expect: {
            result: {
              process: { physicalFootprintBytes: null },
              gauges: { $includes: [{ name: "app.requests.in_flight", value: 1 }] },
            },
          },
        },
      ),
    ],
  },
  {
    name: "diagnostics/with-a-thread",
    about: "A loaded thread shows in the gauges.",
    transports: STDIO,
    volatile: [{ message: "response server/diagnostics", pointer: "/result/process/*" }],
    steps: [
      initialize(),
      call("thread/start", {}, { settles: true }),
      call(
        "server/diagnostics",
        {},
        { expect: { result: { gauges: { $includes: [{ name: "core.threads.live", value: 1 }] } } } },
      ),
    ],
  },
];
