/**
 * Follows the recipe of CONTRIBUTING.md for a new event in a copy of the tree: a file, its entry in the index, `npm run
 * generate`.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const copy = mkdtempSync(join(tmpdir(), "heddle-new-event-"));
const home = join(copy, "home");
const run = promisify(execFile);
const read = (path: string) => readFileSync(join(copy, path), "utf8");

/** A guard for an action that Heddle does not have. */
const EVENT = `
import { maybe, object, required, text } from "../schema/shape.ts";
import { defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import { summarize } from "./decision-summary.ts";
import { blocksOf, contextsOf } from "./finished-run.ts";
import { sessionMembers } from "./input-members.ts";
import { blocked, completed } from "./meaning.ts";
import { additionalContext, block, specific, universal } from "./output-members.ts";

const output = object({
  ...universal,
  ...block,
  hookSpecificOutput: maybe(object({ ...specific("PreDeploy"), ...additionalContext })),
});

const reading: OutputReading = {
  output,
  invalid: "hook returned invalid deploy JSON output",
  plainText: "ignored",
  exitTwo: { complaint: "it gave no reason", isReasonOptional: true },
  exitError: "code",
  killed: NO_STATUS_CODE,
};

export const preDeploy = defineEvent({
  name: "PreDeploy",
  description: "Before something is deployed.",
  scope: "turn",
  input: object({ ...sessionMembers("PreDeploy"), target: required(text, "Where it is deployed to.") }),
  subjectsOf: ({ target }) => [target],
  isGuard: true,
  addsContext: true,
  timeouts: { codex: { default: 7, max: 9 } },
  reading: { codex: reading, claude: reading },
  claude: null,
  lifecycle: "tool.starting",
  coverage: { of: "neither", when: "before a deployment", cell: { can: ["block"] } },
  interpret: (answer: { readonly decision?: string | null }) =>
    answer.decision === "block" ? blocked("not today") : completed(),
  fold: (runs) => ({ contexts: contextsOf(runs), blocks: blocksOf(runs) }),
  describe: ({ blocks }) => summarize(blocks.length > 0, blocks.map((reason) => \`no deployment: \${reason}\`)),
});
`;

const says = (output: object) => `cat > /dev/null; echo '${JSON.stringify(output)}'`;

const HOOKS = {
  hooks: {
    PreDeploy: [
      { matcher: "staging", hooks: [{ type: "command", command: "exit 1" }] },
      {
        matcher: "^prod",
        hooks: [
          { type: "command", command: "cat > input.json; echo 'ask first' >&2; exit 2", timeout: 60 },
          {
            type: "command",
            command: says({
              hookSpecificOutput: { hookEventName: "PreDeploy", additionalContext: "a freeze is on" },
            }),
          },
        ],
      },
    ],
  },
};

beforeAll(async () => {
  const isNeeded = (path: string) => !/\.(?:test|contract)\.ts$/.test(path);
  for (const folder of ["src", "scripts", "docs"])
    cpSync(folder, join(copy, folder), { recursive: true, filter: isNeeded });
  for (const file of ["package.json", "tsconfig.json"]) cpSync(file, join(copy, file));
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  writeFileSync(join(copy, "src/hooks/events/pre-deploy.ts"), EVENT);
  const index = read("src/hooks/events/index.ts");
  writeFileSync(
    join(copy, "src/hooks/events/index.ts"),
    `import { preDeploy } from "./pre-deploy.ts";\n${index.replace("\n] as const;", "\n  preDeploy,\n] as const;")}`,
  );
  const { scripts } = JSON.parse(read("package.json")) as { scripts: { generate: string } };
  await run("sh", ["-c", scripts.generate], { cwd: copy });
}, 60_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe("a new event", () => {
  test.each([
    ["src/protocol/generated/types.ts", '| "preDeploy"'],
    ["src/protocol/generated/types.ts", "PreDeploy: ConfiguredHookMatcherGroup[]"],
    ["src/lifecycle/generated/heddle-hooks.ts", '{"hook":"PreDeploy","reads":"tool.starting"}'],
    ["schema/hooks/pre-deploy.input.schema.json", "Where it is deployed to."],
    ["schema/hooks/pre-deploy.output.schema.json", "additionalContext"],
    ["docs/reference/configuration.md", "Before something is deployed."],
    ["docs/hooks.md", "before a deployment"],
  ])("is in %s: %s", (path, text) => {
    expect(read(path)).toContain(text);
  });

  test("runs the hooks of its name: they are found, matched, run, folded and summarized", async () => {
    mkdirSync(home);
    writeFileSync(join(home, "hooks.json"), JSON.stringify(HOOKS));
    writeFileSync(join(home, "told.json"), JSON.stringify({ target: "production" }));
    const { code, stdout, stderr } = await heddle(
      ["hooks", "test", "PreDeploy", "--untrusted", "--json"],
      ["--cwd", home, "--from", join(home, "told.json")],
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `clamping PreDeploy hook timeout to 9s in ${home}/hooks.json (hooks.PreDeploy[1].hooks[0])\n`,
    });
    expect(JSON.parse(readFileSync(join(home, "input.json"), "utf8"))).toMatchObject({
      hook_event_name: "PreDeploy",
      cwd: home,
      target: "production",
    });
    const summary = { eventName: "preDeploy", scope: "turn", executionMode: "sync", source: "user" };
    expect(JSON.parse(stdout)).toMatchObject({
      hooks: [{ isRun: false, whyNot: "matcher" }, { isRun: true }, { isRun: true }],
      runs: [
        {
          ...summary,
          id: `pre-deploy:1:${home}/hooks.json`,
          status: "blocked",
          entries: [{ kind: "feedback", text: "ask first" }],
        },
        {
          ...summary,
          id: `pre-deploy:2:${home}/hooks.json`,
          status: "completed",
          entries: [{ kind: "context", text: "a freeze is on" }],
        },
      ],
      decision: { contexts: [{ text: "a freeze is on" }], blocks: ["ask first"] },
      isBlocked: true,
      would: ["no deployment: ask first"],
    });
  });
});

/** Runs the command line of the copy. */
async function heddle(...args: readonly string[][]) {
  writeFileSync(
    join(copy, "heddle.ts"),
    'import { main } from "./src/cli/main.ts";\nawait main(process.argv.slice(2));\n',
  );
  const options = { cwd: copy, env: { ...process.env, HEDDLE_HOME: home } };
  try {
    const { stdout, stderr } = await run(
      process.execPath,
      ["scripts/run.mjs", "heddle.ts", ...args.flat()],
      options,
    );
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}
