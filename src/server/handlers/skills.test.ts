import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import type { SkillsListResponse } from "../../protocol/generated/types.ts";
import { SkillCatalog } from "../../skills/skill-catalog.ts";
import { createSkillFiles } from "../../skills/skill-files.fixture.ts";
import type { SkillSettingsResult } from "../../skills/skill-settings.ts";
import type { ParamsOf, RequestContext } from "../connections/handler.ts";
import { createSkillsHandlers } from "./skills.ts";

function createHandlers() {
  const files = createSkillFiles();
  const sent: unknown[] = [];
  const state = {
    written: [] as unknown[],
    settings: {
      ok: true,
      settings: { projectFolders: [], projectRootMarkers: [".git"], bundled: true, rules: [] },
    } as SkillSettingsResult,
    refusal: null as string | null,
  };
  const catalog = new SkillCatalog({
    home: files.path("home"),
    userHome: null,
    systemFolder: files.path("etc"),
    settingsFor: () => Promise.resolve(state.settings),
    clock: createFakeClock(),
    log: silentLogger,
    watchFolder: () => () => {},
  });
  onTestFinished(() => catalog.close());
  const handlers = createSkillsHandlers({
    catalog,
    cwd: files.path("work"),
    notifier: { toAll: (method, params) => sent.push([method, params]), to: () => {}, ofThread: () => {} },
    switchSkill(selector, enabled) {
      if (state.refusal !== null) return Promise.resolve({ ok: false, message: state.refusal });
      state.written.push([selector, enabled]);
      return Promise.resolve({ ok: true });
    },
  });
  const context = {} as RequestContext;
  return {
    files,
    sent,
    state,
    list: async (params: ParamsOf<"skills/list"> = {}) => handlers["skills/list"](params, context),
    setExtraRoots: (extraRoots: string[]) => handlers["skills/extraRoots/set"]({ extraRoots }, context),
    write: async (params: ParamsOf<"skills/config/write">) =>
      handlers["skills/config/write"](params, context),
  };
}

const names = ({ data }: SkillsListResponse) =>
  data.map(({ cwd, skills }) => [cwd, skills.map(({ name }) => name)]);

test("a list has an entry for each folder, in their order and as they were given", async () => {
  const { files, list } = createHandlers();
  files.skill("home/skills/everywhere", "everywhere");
  files.skill("work/sub/.agents/skills/here", "here");
  const cwds = ["sub", files.path("other"), files.path("work/sub")];
  expect(names(await list({ cwds }))).toEqual([
    ["sub", ["here", "everywhere"]],
    [files.path("other"), ["everywhere"]],
    [files.path("work/sub"), ["here", "everywhere"]],
  ]);
});

test("without folders the server's own is meant", async () => {
  const { files, list } = createHandlers();
  expect(await list()).toEqual({ data: [{ cwd: files.path("work"), skills: [], errors: [] }] });
  expect(await list({ cwds: [] })).toEqual({ data: [{ cwd: files.path("work"), skills: [], errors: [] }] });
});

test("a skill has the members that it needs and no others", async () => {
  const { files, list } = createHandlers();
  const plain = files.skill("home/skills/plain", "plain", "d");
  const full = files.write(
    "home/skills/rich/SKILL.md",
    "---\nname: rich\ndescription: d\nmetadata: {short-description: s}\n---\n",
  );
  files.write(
    "home/skills/rich/agents/openai.yaml",
    "interface: {display_name: R}\ndependencies: {tools: [{type: mcp, value: v}]}",
  );
  const broken = files.write("home/skills/zzz/SKILL.md", "");
  const { data } = await list();
  expect(data).toEqual([
    {
      cwd: files.path("work"),
      skills: [
        { name: "plain", description: "d", path: plain, scope: "user", enabled: true, pluginId: null },
        {
          name: "rich",
          description: "d",
          shortDescription: "s",
          interface: {
            displayName: "R",
            shortDescription: null,
            iconSmall: null,
            iconLarge: null,
            iconSmallUrl: null,
            iconLargeUrl: null,
            brandColor: null,
            defaultPrompt: null,
          },
          dependencies: { tools: [{ type: "mcp", value: "v" }] },
          path: full,
          scope: "user",
          enabled: true,
          pluginId: null,
        },
      ],
      errors: [{ path: broken, message: "missing YAML frontmatter delimited by ---" }],
    },
  ]);
});

test("forceReload looks again", async () => {
  const { files, list } = createHandlers();
  await list();
  files.skill("home/skills/a", "a");
  expect(names(await list())).toEqual([[files.path("work"), []]]);
  expect(names(await list({ forceReload: true }))).toEqual([[files.path("work"), ["a"]]]);
});

test("a configuration that cannot be used is an error of the folder", async () => {
  const { list, state } = createHandlers();
  state.settings = { ok: false, message: "config.toml:1:3: unclosed table" };
  const errors = [{ path: "x", message: "failed to reload config: config.toml:1:3: unclosed table" }];
  expect(await list({ cwds: ["x"] })).toEqual({ data: [{ cwd: "x", skills: [], errors }] });
});

test("extra roots are announced before the request is answered", async () => {
  const { files, list, setExtraRoots, sent } = createHandlers();
  files.skill("extra/a", "a");
  expect(setExtraRoots([files.path("extra")])).toEqual({});
  expect(sent).toEqual([["skills/changed", {}]]);
  expect(names(await list())).toEqual([[files.path("work"), ["a"]]]);
});

test("a skill is switched off and on by name and by path", async () => {
  const { write, state, sent } = createHandlers();
  expect(await write({ name: "a", enabled: false })).toEqual({ effectiveEnabled: false });
  expect(await write({ path: "/b/SKILL.md", name: null, enabled: true })).toEqual({ effectiveEnabled: true });
  expect({ written: state.written, sent }).toEqual({
    written: [
      [{ name: "a" }, false],
      [{ path: "/b/SKILL.md" }, true],
    ],
    sent: [],
  });
});

test.each([{}, { path: null, name: null }, { name: "  " }, { name: "a", path: "/a" }])(
  "%j does not say which skill is meant",
  async (selector) => {
    const { write } = createHandlers();
    await expect(write({ ...selector, enabled: false })).rejects.toEqual(
      new RpcError(-32602, "skills/config/write requires exactly one of path or name"),
    );
  },
);

test("a file that cannot be written fails the request", async () => {
  const { write, state } = createHandlers();
  state.refusal = "Read-only file system (os error 30)";
  await expect(write({ name: "a", enabled: false })).rejects.toEqual(
    new RpcError(-32603, "failed to update skill settings: Read-only file system (os error 30)"),
  );
});
