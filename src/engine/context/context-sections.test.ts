import { expect, test } from "vitest";
import type { ThreadSettings } from "../state/settings.ts";
import { ContextLog } from "./context-log.ts";
import { type ContextSources, describeContext } from "./context-sections.ts";
import { environmentFacts } from "./environment-context.ts";

const settings: ThreadSettings = {
  model: "m",
  modelProvider: "p",
  cwd: "/project/<a>&b",
  machineCwd: null,
  workspaceRoots: null,
  hasMachine: true,
  approvalPolicy: "on-request",
  approvalsReviewer: "user",
  sandbox: { type: "workspaceWrite", writableRoots: ["/extra"], networkAccess: false },
  permissionProfile: null,
  effort: null,
  summary: null,
  serviceTier: null,
  personality: null,
  mode: "default",
  modeInstructions: null,
  baseInstructions: null,
  developerInstructions: "be kind",
};

const wanted = { permissions: true, mode: true, environment: true, time: true };

const firstMessages = (sources: ContextSources) =>
  new ContextLog(() => "id").update(describeContext(sources));

test("rules stand before facts, each part on its own", () => {
  const items = firstMessages({
    settings,
    environment: { shell: "zsh", currentDate: "2026-11-15", timezone: "Europe/Vienna" },
    projectDocs: "use tabs\n",
    skills: "- demo: does things",
    wanted,
  });
  const parts = items.map((item) =>
    item.type === "message" ? item.content.map((part) => "text" in part && part.text) : [],
  );
  expect(items).toMatchObject([{ role: "developer" }, { role: "user" }]);
  expect(parts[0]).toEqual([
    "be kind",
    "- demo: does things",
    expect.stringMatching(
      /^<permissions instructions>\n.*workspace-write.*\n.*on-request.*\n<\/permissions instructions>$/,
    ),
  ]);
  expect(parts[1]).toEqual([
    "# AGENTS.md instructions for /project/<a>&b\n\n<INSTRUCTIONS>\nuse tabs\n\n</INSTRUCTIONS>",
    expect.stringContaining(`<environment_context>
  <cwd>/project/&lt;a&gt;&amp;b</cwd>
  <shell>zsh</shell>
  <current_date>2026-11-15</current_date>
  <timezone>Europe/Vienna</timezone>
  <filesystem><workspace_roots><root>/project/&lt;a&gt;&amp;b</root></workspace_roots><permission_profile type="managed">`),
  ]);
});

test("what there is nothing to say about is left out", () => {
  const quiet = { ...settings, developerInstructions: null };
  const environment = environmentFacts({ TZ: "UTC" }, 0);
  const [rules, facts] = firstMessages({
    settings: quiet,
    environment,
    projectDocs: null,
    skills: null,
    wanted,
  });
  expect([rules, facts].map((item) => (item?.type === "message" ? item.content.length : 0))).toEqual([1, 1]);
  expect(environment).toMatchObject({
    shell: "bash",
    currentDate: expect.stringMatching(/^19(69|70)-\d\d-\d\d$/),
  });
});

test("what the user does not want to be told is left out", () => {
  const sources = {
    settings: { ...settings, developerInstructions: null, mode: "plan" as const },
    environment: environmentFacts({ TZ: "UTC" }, 0),
    projectDocs: null,
    skills: null,
  };
  const nothing = { permissions: false, mode: false, environment: false, time: false };
  expect(firstMessages({ ...sources, wanted: nothing })).toEqual([]);
  const timeless = JSON.stringify(firstMessages({ ...sources, wanted: { ...wanted, time: false } }));
  expect([timeless.includes("<cwd>"), timeless.includes("<current_date>")]).toEqual([true, false]);
});
