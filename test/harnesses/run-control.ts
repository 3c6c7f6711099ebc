/** Plays one control: the real program, hooks that Heddle has installed, and a program behind them that answers. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Child } from "../support/child.ts";
import { HEDDLE } from "../support/start-server.ts";
import { within } from "../support/within.ts";
import {
  COMMAND,
  type Control,
  type Harness,
  type HarnessPlace,
  PROJECT,
  type Seen,
  type SeenEvent,
} from "./harness.ts";
import { type ModelScript, openHarnessModel } from "./harness-model.ts";

const RUN_DEADLINE = 60_000;
const INSTALL_DEADLINE = 20_000;

/** What a program of anybody would be: it gets a dispatch envelope, and prints a callback response. */
const CLIENT = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const folder = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const { request } = JSON.parse(readFileSync(0, "utf8"));
appendFileSync(folder + "/told.jsonl", JSON.stringify(request) + "\\n");
const said = JSON.parse(readFileSync(folder + "/answers.json", "utf8"))[request.event];
const once = folder + "/continued";
const isLate = said?.decision?.kind === "continue_with" && existsSync(once);
if (said?.decision?.kind === "continue_with") writeFileSync(once, "");
const result = said === undefined || isLate ? {} : { result: said };
console.log(JSON.stringify({ schema_version: request.schema_version, status: "delivered", ...result }));
`;

/** Rejects, in one sentence, where the program did not do what it must. */
export async function runControl(
  harness: Harness,
  control: Control,
  folder: string,
  homes: string,
): Promise<void> {
  const seen = await play(harness, control, folder, homes);
  for (const check of control.checks) check(seen);
}

async function play(
  harness: Harness,
  { says, watches = [], model: script, isAsked = false }: Control,
  folder: string,
  homes: string,
): Promise<Seen> {
  const root = await mkdtemp(join(homes, `${harness.adapter}-`));
  const [home, project] = [join(root, "home"), join(root, "project")];
  for (const path of [home, project]) await mkdir(path);
  const model = await openHarnessModel(
    inProject(script ?? { kind: "call", call: harness.shell(COMMAND) }, project),
  );
  try {
    const place: HarnessPlace = { folder, home, project, modelUrl: model.url, isAsked };
    const start = await harness.prepare(place);
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8", TZ: "UTC", ...start.env };
    await writeFile(join(root, "client.mjs"), CLIENT);
    await writeFile(join(root, "answers.json"), JSON.stringify(says));
    await install(harness, [...Object.keys(says), ...watches], { root, project, env });
    const child = new Child({
      command: start.command,
      args: start.args("Do it."),
      cwd: project,
      env,
    });
    child.endInput();
    try {
      const { code } = await within(child.exit, RUN_DEADLINE, `the end of ${harness.program}`);
      return {
        code,
        stdout: child.stdout,
        stderr: child.stderr,
        hasRun: existsSync(join(project, "ran.txt")),
        requests: model.requests,
        events: readEvents(join(root, "told.jsonl")),
      };
    } finally {
      await child.stop();
    }
  } finally {
    await model.close();
    await rm(root, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 });
  }
}

/** Some tools take absolute paths only, which nobody knows beforehand. */
function inProject(script: ModelScript, project: string): ModelScript {
  return JSON.parse(JSON.stringify(script).replaceAll(PROJECT, project)) as ModelScript;
}

interface Installing {
  readonly root: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

/** As a user would: \`heddle lifecycle install\` writes into the program's own files. */
async function install(
  { adapter }: Harness,
  events: readonly string[],
  { root, project, env }: Installing,
): Promise<void> {
  const heddle = [HEDDLE.command, ...HEDDLE.args].map(quote).join(" ");
  const client = quote(`${quote(process.execPath)} ${quote(join(root, "client.mjs"))}`);
  const ledger = quote(join(root, "ledger.sqlite"));
  const hook = `${heddle} lifecycle dispatch --adapter ${adapter} --ledger ${ledger} --timeout 20 --client-cmd ${client}`;
  const child = new Child({
    command: HEDDLE.command,
    args: [
      ...HEDDLE.args,
      "lifecycle",
      "install",
      adapter,
      "--scope",
      "user",
      "--yes",
      "--command",
      hook,
      ...events.flatMap((event) => ["--event", event]),
    ],
    cwd: project,
    env,
  });
  child.endInput();
  const { code } = await within(child.exit, INSTALL_DEADLINE, "the installation of hooks");
  if (code !== 0) throw new Error(`hooks could not be installed: ${child.stderr}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function readEvents(file: string): SeenEvent[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as SeenEvent);
}
