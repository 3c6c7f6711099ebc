import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import { ADAPTER_IDS } from "../../lifecycle/index.ts";
import { defaultEvents, HARNESS_HOOKS, hooksOf } from "./harness-hooks.ts";
import { type Plan, planInstall, planUninstall, remember } from "./plan-install.ts";

const COMMAND = "node 'a b.mjs'";
const { claude, codex, cursor, opencode } = HARNESS_HOOKS;

function planned(outcome: ReturnType<typeof planInstall>): Plan {
  if (outcome.kind === "refused") throw new Error(outcome.reason);
  return outcome;
}

describe("an installation", () => {
  test.each(ADAPTER_IDS)("for %s is taken back where there was no file", (id) => {
    const { hooks } = hooksOf(id, defaultEvents(id));
    const plan = planned(planInstall(HARNESS_HOOKS[id], COMMAND, hooks, null));
    expect(plan.hooks).toEqual(hooks);
    expect(hooks.length).toBeGreaterThan(2);
    const back = planned(planUninstall(HARNESS_HOOKS[id], COMMAND, plan.after, remember(plan, null)));
    expect(back.after).toBeNull();
  });

  test("writes each harness's own kind of entry", () => {
    const written = (["claude", "cursor", "copilot"] as const).map(
      (id) =>
        planned(planInstall(HARNESS_HOOKS[id], "x", hooksOf(id, ["frame.opening"]).hooks, null)).after ?? "",
    );
    expect(written.map((text) => JSON.parse(text) as unknown)).toEqual([
      { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "x" }] }] } },
      { version: 1, hooks: { beforeSubmitPrompt: [{ command: "x" }] } },
      { version: 1, hooks: { UserPromptSubmit: [{ type: "command", bash: "x" }] } },
    ]);
  });

  test("for Gemini CLI has a program started for compressions that somebody asks for, not before each request", () => {
    const { gemini } = HARNESS_HOOKS;
    const text = planned(planInstall(gemini, "x", ["PreCompress", "BeforeTool"], '{"a": 1}')).after ?? "";
    const group = { hooks: [{ type: "command", command: "x" }] };
    expect(JSON.parse(text)).toEqual({
      a: 1,
      hooks: { PreCompress: [{ matcher: "manual", ...group }], BeforeTool: [group] },
    });
    const left = planned(planUninstall(gemini, "x", text, null)).after ?? "";
    expect(JSON.parse(left)).toEqual({ a: 1, hooks: { PreCompress: [], BeforeTool: [] } });
  });

  test("that is there is not made again", () => {
    const once = planned(planInstall(codex, COMMAND, ["Stop"], null)).after;
    expect(planned(planInstall(codex, COMMAND, ["Stop"], once))).toMatchObject({ after: once, hooks: [] });
  });

  test.each([
    ["{", "line 1: a key in quotes is missing"],
    ['{"hooks": 1}', "`hooks.Stop` is not a list"],
    ['{"hooks": {"Stop": {}}}', "`hooks.Stop` is not a list"],
  ])("into %s is refused", (text, reason) => {
    expect(planInstall(claude, COMMAND, ["Stop"], text)).toEqual({ kind: "refused", reason });
  });

  const NAMES = ["Stop", "SessionStart", "SessionEnd", "UserPromptSubmit"];
  const entries = fc.array(
    fc.oneof(
      fc.record({ matcher: fc.string(), hooks: fc.constant([{ type: "command", command: "other" }]) }),
      fc.jsonValue({ maxDepth: 2 }),
    ),
    { maxLength: 3 },
  );
  const files = fc
    .record(
      {
        model: fc.string(),
        hooks: fc.dictionary(fc.constantFrom(...NAMES, "Other"), entries),
        env: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    )
    .chain((file) =>
      fc
        .tuple(fc.constantFrom("", "\t", "  ", "    "), fc.constantFrom("", "\n", "\r\n"))
        .map(([indent, end]) => {
          const text = JSON.stringify(file, null, indent) + end;
          return end === "\r\n" ? text.replaceAll(/\r?\n/g, "\r\n") : text;
        }),
    );
  const chosen = fc.subarray(NAMES, { minLength: 1 });

  test("is taken back byte for byte, also when a second one came and went", () => {
    fc.assert(
      fc.property(files, chosen, chosen, (before, hooks, others) => {
        const first = planned(planInstall(claude, COMMAND, hooks, before));
        const second = planned(planInstall(claude, "other one", others, first.after));
        const without = planned(planUninstall(claude, "other one", second.after, remember(second, null)));
        expect(without.after).toBe(first.after);
        expect(planned(planUninstall(claude, COMMAND, without.after, remember(first, null))).after).toBe(
          before,
        );
      }),
      propertyRuns(300),
    );
  });

  test("of one command in two steps is taken back as a whole", () => {
    fc.assert(
      fc.property(fc.option(files), chosen, chosen, (before, hooks, others) => {
        const first = planned(planInstall(claude, COMMAND, hooks, before));
        const known = remember(first, null);
        const second = planned(planInstall(claude, COMMAND, others, first.after));
        const all = second.hooks.length === 0 ? known : remember(second, known);
        expect(planned(planUninstall(claude, COMMAND, second.after, all)).after).toBe(before);
      }),
      propertyRuns(300),
    );
  });

  test("is taken out of a file that was changed since, and nothing else is", () => {
    fc.assert(
      fc.property(files, chosen, chosen, (before, hooks, others) => {
        const first = planned(planInstall(claude, COMMAND, hooks, before));
        const second = planned(planInstall(claude, "other one", others, first.after));
        const left = planned(planUninstall(claude, COMMAND, second.after, remember(first, null))).after ?? "";
        const alone = planned(planInstall(claude, "other one", others, before)).after ?? "";
        const [is, wanted] = [left, alone].map((text) => JSON.parse(text) as { hooks?: object });
        expect({ ...is, hooks: { ...is?.hooks } }).toEqual({ ...wanted, hooks: { ...wanted?.hooks } });
      }),
      propertyRuns(300),
    );
  });

  test("of a plugin that somebody has changed is theirs", () => {
    const { after } = planned(planInstall(opencode, COMMAND, ["chat.message"], null));
    const changed = `${after}// mine\n`;
    expect(planUninstall(opencode, COMMAND, changed, null)).toMatchObject({ kind: "refused" });
    expect(planInstall(opencode, COMMAND, ["chat.message"], changed)).toMatchObject({ kind: "refused" });
    expect(planUninstall(opencode, "another", changed, null)).toMatchObject({ after: changed });
  });

  test("that nobody remembers is found by what it says", () => {
    const { after } = planned(planInstall(cursor, COMMAND, ["stop"], null));
    expect(planned(planUninstall(cursor, COMMAND, after, null)).after).toBe(
      '{\n  "version": 1,\n  "hooks": {\n    "stop": []\n  }\n}\n',
    );
  });
});
