/** skills/list: where skills are found, when the list is read again, and how clients learn of changes. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, notification, reply, STDIO, send, settle } from "../steps.ts";

/** The peer unpacks skills of its own into every home; these scenarios are about the user's. */
const NO_BUNDLED = "[skills.bundled]\nenabled = false\n";

const skill = (name: string, description = `${name} description`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# Body\n`;
const TRUSTED = '[projects."{{workspace}}"]\ntrust_level = "trusted"\n';

const list = (as: string, params: unknown, skills: unknown) =>
  call("skills/list", params, { as, expect: { result: { data: [{ skills, errors: [] }] } } });
const here = (forceReload: boolean) => ({ cwds: ["{{workspace}}"], forceReload });

export const skillScenarios: readonly Scenario[] = [
  {
    name: "skills/list",
    about:
      "Skills of the home and of the project's two folders are listed with scope, path and whether they are on.",
    transports: STDIO,
    config: { tables: `${NO_BUNDLED}${TRUSTED}` },
    files: {
      "home/skills/home-skill/SKILL.md": skill("home-skill"),
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.codex/skills/codex-skill/SKILL.md": skill("codex-skill"),
      "workspace/.agents/skills/agents-skill/SKILL.md": skill("agents-skill"),
      "user/.agents/skills/user-skill/SKILL.md": skill("user-skill"),
    },
    steps: [
      initialize(),
      list("list", here(true), {
        $includes: [
          { name: "home-skill", scope: "user", enabled: true },
          { name: "agents-skill", scope: "repo" },
        ],
      }),
    ],
  },
  {
    name: "skills/broken",
    about: "A skill that cannot be read is an error of its folder, and the others are listed.",
    transports: STDIO,
    config: { tables: NO_BUNDLED },
    files: {
      "home/skills/good/SKILL.md": skill("good"),
      "home/skills/no-header/SKILL.md": "# Body only\n",
      "home/skills/no-description/SKILL.md": "---\nname: no-description\n---\n",
      "home/skills/bad-yaml/SKILL.md": "---\nname: [\n---\n",
      "home/skills/empty/README.md": "not a skill\n",
    },
    steps: [
      initialize(),
      call("skills/list", here(true), {
        expect: { result: { data: [{ skills: { $includes: [{ name: "good" }] } }] } },
      }),
    ],
  },
  {
    name: "skills/reads-alongside",
    about: "Reads of the configuration are answered while skills are listed.",
    transports: STDIO,
    config: { tables: NO_BUNDLED },
    freeOrder: [["response skills", "response config", "response requirements", "response profiles"]],
    steps: [
      initialize(),
      send("skills/list", here(true), "skills"),
      send("config/read", { includeLayers: false }, "config"),
      send("configRequirements/read", null, "requirements"),
      send("permissionProfile/list", {}, "profiles"),
      reply("config", { result: { layers: { $absent: true } } }),
      reply("requirements", { result: { requirements: null } }),
      reply("profiles"),
      reply("skills"),
    ],
  },
  {
    name: "skills/relative-folder",
    about: "A relative folder is accepted and comes back as it was sent.",
    transports: STDIO,
    config: { tables: NO_BUNDLED },
    files: { "workspace/relative-cwd/keep": "" },
    steps: [
      initialize(),
      call(
        "skills/list",
        { cwds: ["relative-cwd"], forceReload: true },
        {
          expect: { result: { data: [{ cwd: "relative-cwd", errors: [] }] } },
        },
      ),
    ],
  },
  {
    name: "skills/no-folder",
    about: "Without a folder the server's own is listed.",
    transports: STDIO,
    config: { tables: NO_BUNDLED },
    steps: [
      initialize(),
      call("skills/list", {}, { as: "no folders" }),
      call("skills/list", { cwds: [] }, { as: "empty list" }),
    ],
  },
  {
    name: "skills/order-of-folders",
    // It follows from a watch of the folder, which only Heddle has.
    freeOrder: [["skills/changed"]],
    about:
      "The answer keeps the order of the folders, and a skill made later is seen only after a forced reload.",
    transports: STDIO,
    config: {
      tables: `${NO_BUNDLED}[projects."{{workspace}}/first"]\ntrust_level = "trusted"\n[projects."{{workspace}}/second"]\ntrust_level = "trusted"\n`,
    },
    files: {
      "home/skills/shared-skill/SKILL.md": skill("shared-skill"),
      "workspace/first/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/second/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/first/.agents/skills/first-project-skill/SKILL.md": skill("first-project-skill"),
      "workspace/second/.agents/skills/second-project-skill/SKILL.md": skill("second-project-skill"),
    },
    steps: [
      initialize(),
      ...([false, false, true] as const).flatMap((forceReload, index) => [
        ...(index === 1
          ? [{ do: "write", path: "home/skills/new-skill/SKILL.md", text: skill("new-skill") } as const]
          : []),
        call(
          "skills/list",
          { cwds: ["{{workspace}}/first", "{{workspace}}/second"], forceReload },
          {
            as: `list ${index}`,
            expect: {
              result: {
                data: ["first", "second"].map((name) => ({
                  cwd: `{{workspace}}/${name}`,
                  skills: {
                    [forceReload ? "$includes" : "$excludes"]: [{ name: "new-skill" }],
                  },
                })),
              },
            },
          },
        ),
      ]),
      settle(400),
    ],
  },
  {
    name: "skills/cached-until-forced",
    about: "The list of a folder is kept through writes of session defaults until a forced reload.",
    transports: STDIO,
    config: { tables: NO_BUNDLED },
    steps: [
      initialize(),
      list("before", here(false), { $excludes: [{ name: "late-extra-skill" }] }),
      {
        do: "write",
        path: "workspace/.codex/skills/late-extra-skill/SKILL.md",
        text: skill("late-extra-skill", "late skill"),
      },
      ...[
        [["plan_mode_reasoning_effort", "high"]],
        [["service_tier", "fast"]],
        [["personality", "friendly"]],
        [
          ["model", "gpt-5.4"],
          ["model_reasoning_effort", "high"],
        ],
      ].map((edits, index) =>
        call(
          "config/batchWrite",
          {
            edits: edits.map(([keyPath, value]) => ({ keyPath, value, mergeStrategy: "replace" })),
            reloadUserConfig: true,
          },
          { as: `write ${index}`, expect: { result: { status: "ok" } } },
        ),
      ),
      list("cached", here(false), { $excludes: [{ name: "late-extra-skill" }] }),
      list("forced", here(true), { $includes: [{ name: "late-extra-skill" }] }),
    ],
  },
  {
    name: "skills/extra-roots",
    about:
      "A client can add roots for the life of the process; each change is announced, and a restart forgets them.",
    transports: STDIO,
    config: { tables: NO_BUNDLED },
    files: { "workspace/extra/skills/runtime-skill/SKILL.md": skill("runtime-skill", "runtime skill") },
    steps: [
      initialize(),
      call(
        "skills/extraRoots/set",
        { extraRoots: ["{{workspace}}/extra/skills"] },
        { as: "set", expect: { result: {} } },
      ),
      notification("skills/changed", {}),
      list("with", here(false), { $includes: [{ name: "runtime-skill" }] }),
      call(
        "skills/extraRoots/set",
        { extraRoots: ["{{workspace}}/extra/missing"] },
        { as: "set missing", expect: { result: {} } },
      ),
      notification("skills/changed", {}),
      list("missing", here(false), { $excludes: [{ name: "runtime-skill" }] }),
      call("skills/extraRoots/set", { extraRoots: ["{{workspace}}/extra/skills"] }, { as: "set again" }),
      notification("skills/changed", {}),
      call("skills/extraRoots/set", { extraRoots: [] }, { as: "clear", expect: { result: {} } }),
      notification("skills/changed", {}),
      list("cleared", here(false), { $excludes: [{ name: "runtime-skill" }] }),
      call("skills/extraRoots/set", { extraRoots: ["relative"] }, { as: "relative root" }),
      { do: "restart" },
      initialize(),
      list("after a restart", here(false), { $excludes: [{ name: "runtime-skill" }] }),
    ],
  },
  {
    name: "skills/changed",
    about: "A changed skill file is announced, and the next list shows it.",
    transports: STDIO,
    config: { tables: NO_BUNDLED },
    files: { "home/skills/demo/SKILL.md": skill("demo") },
    steps: [
      initialize(),
      call("skills/list", { cwds: ["{{home}}"], forceReload: true }, { as: "before" }),
      call("thread/start", {}, { settles: true }),
      { do: "write", path: "home/skills/demo/SKILL.md", text: skill("demo", "updated") },
      notification("skills/changed", {}),
      call(
        "skills/list",
        { cwds: ["{{home}}"], forceReload: false },
        {
          as: "after",
          expect: {
            result: { data: [{ skills: { $includes: [{ name: "demo", description: "updated" }] } }] },
          },
        },
      ),
      settle(),
    ],
  },
  {
    name: "skills/bundled",
    about: "The peer lists skills that it brings along, in the scope of the system.",
    transports: STDIO,
    config: { whole: "" },
    steps: [initialize(), list("list", here(true), { $includes: [{ scope: "system" }] })],
  },
];
