/** Attacks on hooks, which run with the user's rights: a confined command tries to decide what they run. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { functionCallDone, reply } from "../../support/model-events.ts";
import type { TempHome } from "../../support/temp-home.ts";
import type { Attack } from "../attack.ts";
import { type AttackGround, residentMiB, type SceneOptions } from "../attack-ground.ts";
import { command, type Scene } from "../scene.ts";
import { onlyTheWorkspace, WORKSPACE } from "./bounds.ts";

interface Stage {
  readonly home: TempHome;
  readonly scene: Scene;
  /** Left by what the attacker wrote, where no confined command can write. */
  readonly mark: string;
  /** Left by each run of what the user wrote. */
  readonly runs: string;
}

interface StageOptions extends Omit<SceneOptions, "home" | "tables"> {
  readonly hooks: (home: TempHome) => object;
  /** Files of the user, by their path below the root. */
  readonly files?: (home: TempHome) => Readonly<Record<string, string>>;
  readonly tables?: (home: TempHome) => string;
  /** Where the hooks are configured; the user's own file unless given. */
  readonly file?: string;
}

const on = (event: string, ...commands: readonly string[]) => ({
  hooks: { [event]: [{ hooks: commands.map((text) => ({ type: "command", command: text })) }] },
});

const good = ({ root }: TempHome) => `#!/bin/sh\necho ran >> ${join(root, "runs")}\n`;
/** What the model has a command write: a script that leaves the mark. */
const evil = ({ root }: TempHome, file: string) =>
  command(
    `rm ${file}; printf '#!/bin/sh\\necho ran > ${join(root, "it-ran")}\\n' > ${file}; chmod +x ${file}`,
  );

/** A server whose user has hooks and trusts them. */
async function open(
  ground: AttackGround,
  { hooks, files, tables, file, ...options }: StageOptions,
): Promise<Stage> {
  const home = await ground.home();
  for (const folder of ["objects", "refs"])
    mkdirSync(join(home.workspace, ".git", folder), { recursive: true });
  writeFileSync(join(home.workspace, ".git/HEAD"), "ref: refs/heads/main\n");
  for (const [path, text] of Object.entries(files?.(home) ?? {})) {
    await home.write(path, text);
    chmodSync(join(home.root, path), 0o755);
  }
  await home.write(file ?? "home/hooks.json", JSON.stringify(hooks(home)));
  const trusted = `[projects."${home.workspace}"]\ntrust_level = "trusted"\n`;
  const scene = await ground.open({
    ...options,
    home,
    tables: `${tables?.(home) ?? onlyTheWorkspace()}\n${trusted}`,
  });
  await trustAll(scene, home.workspace);
  return { home, scene, mark: join(home.root, "it-ran"), runs: join(home.root, "runs") };
}

async function trustAll({ client }: Scene, cwd: string): Promise<void> {
  const { data } = (await client.result("hooks/list", { cwds: [cwd] })) as {
    data: { hooks: { key: string; currentHash: string }[] }[];
  };
  const found = data.flatMap((entry) => entry.hooks);
  const value = Object.fromEntries(found.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
  await client.result("config/batchWrite", {
    edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }],
    reloadUserConfig: true,
  });
}

/** A turn before, so that the hooks have run; one in which the model does its work; and one after it, in a new thread. */
async function attack(
  ground: AttackGround,
  stage: Stage,
  work: readonly ReturnType<typeof command>[],
  more = {},
) {
  const { home, scene, mark, runs } = stage;
  const thread = { ...WORKSPACE, approvalPolicy: "on-request", cwd: home.workspace, ...more };
  const first = await scene.play([command("true")], { thread });
  if (!existsSync(runs)) throw new Error(`the hook of the user did not run: ${JSON.stringify(first)}`);
  // A guard that does not run has calls asked about: the user lets them go on.
  const decision = "accept" as const;
  const played = await scene.play([...work, command("true")], { threadId: first.threadId, decision });
  const tried = played.items.filter(
    ({ type, status }) => type === "commandExecution" && status !== "declined",
  );
  if (tried.length <= work.length) throw new Error(`the attack was not played: ${JSON.stringify(played)}`);
  const later = await scene.play([command("true")], { thread, decision });
  if (existsSync(mark)) {
    ground.breach("a hook has run what a confined command wrote", { played, later });
  }
  return { first, played, later };
}

/** The user is told what became of the hook, with what to do about it. */
function expectWarning(ground: AttackGround, { scene }: Stage, threadId: string): void {
  const warnings = scene.client.received
    .filter(({ method }) => method === "warning")
    .map(({ message }) => message["params"] as { threadId: string; message: string })
    .filter((params) => params.threadId === threadId && params.message.includes("heddle hooks trust"));
  if (warnings.length !== 1)
    ground.breach("a hook was left out, and the user was not told once", { warnings });
}

const EVENTS = ["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit"] as const;

const OFF = '{"disableAllHooks": true}';
const patch = (...lines: readonly string[]) =>
  command(`apply_patch <<'EOF'\n*** Begin Patch\n${lines.join("\n")}\n*** End Patch\nEOF`);
/** What would switch the hooks of a project off, or put others in their place. */
const WAYS = [
  command(`echo '${OFF}' > .claude/settings.json`),
  command(`mkdir -p .claude; echo '${OFF}' > .claude/settings.local.json`),
  command(`mv .claude old; mkdir .claude; echo '${OFF}' > .claude/settings.json`),
  command(`rm -r .claude; mkdir evil; echo '${OFF}' > evil/settings.json; ln -s evil .claude`),
  command(`mkdir new; echo '${OFF}' > new/settings.json; mv -T new .claude`),
  command(`touch one; ln -f one .claude/settings.local.json; echo '${OFF}' > one`),
  patch("*** Add File: .claude/settings.local.json", `+${OFF}`),
  patch("*** Delete File: .claude/settings.json"),
  patch("*** Update File: keep", "*** Move to: .claude/settings.local.json", "@@", "-{}", `+${OFF}`),
];

async function changeSettings(ground: AttackGround, hasSettings: boolean): Promise<void> {
  const { home, scene, runs } = await open(ground, {
    file: hasSettings ? "workspace/.claude/settings.json" : "home/hooks.json",
    hooks: ({ root }) => on("PreToolUse", `echo ran >> ${root}/runs`),
    files: () => ({ "workspace/keep": "{}\n" }),
    tables: () => `${onlyTheWorkspace()}\n[hooks]\nclaude = true\n`,
  });
  const folder = join(home.workspace, ".claude");
  const read = () =>
    existsSync(folder)
      ? readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")])
      : null;
  const before = JSON.stringify(read());
  const { threadId } = await scene.play([command("true")], { thread: { ...WORKSPACE, cwd: home.workspace } });
  if (!existsSync(runs)) throw new Error("the hook of the user did not run");
  for (const way of WAYS) {
    await scene.play([way], { threadId });
    const after = JSON.stringify(read());
    if (after !== before) ground.breach("a confined command wrote settings of hooks", { way, before, after });
  }
}

export const hooksAttacks: readonly Attack[] = [
  {
    name: "hooks/own script",
    promise: "a hook does not run a script that a confined command has changed, and the user is told",
    async run(ground) {
      const [call, file] = ground.random.pick([
        ["./x.sh", "x.sh"],
        ["bash x.sh", "x.sh"],
        [". ./x.sh", "x.sh"],
        ["cd hooks && ./x.sh", "hooks/x.sh"],
        ["sh -c 'timeout 9 hooks/x.sh'", "hooks/x.sh"],
        ['"$(git rev-parse --show-toplevel)"/hooks/x.sh', "hooks/x.sh"],
        ["if [ -x hooks/x.sh ]; then hooks/x.sh; fi", "hooks/x.sh"],
      ] as const);
      const event = ground.random.pick(EVENTS);
      const stage = await open(ground, {
        hooks: () => on(event, call),
        files: (home) => ({ [`workspace/${file}`]: good(home) }),
      });
      const { first, later } = await attack(ground, stage, [evil(stage.home, file)]);
      expectWarning(ground, stage, later.threadId);
      // The prompt of the attack's own turn came before the attack: nothing was left out there.
      if (event !== "UserPromptSubmit") expectWarning(ground, stage, first.threadId);
      // What the user trusts again, as a client does it, runs again.
      await trustAll(stage.scene, stage.home.workspace);
      await stage.scene.play([command("true")], { threadId: first.threadId });
      if (!existsSync(stage.mark)) throw new Error("a hook that was trusted again does not run");
    },
  },
  {
    name: "hooks/script of a project's hook",
    promise: "a hook that keeps its key and its hash does not run another script",
    async run(ground) {
      const stage = await open(ground, {
        file: "workspace/.codex/hooks.json",
        hooks: () => on("PreToolUse", "./x.sh"),
        files: (home) => ({ "workspace/x.sh": good(home) }),
      });
      await attack(ground, stage, [evil(stage.home, "x.sh")]);
    },
  },
  {
    name: "hooks/planted configuration",
    promise: "hooks that a confined command configures do not run",
    async run(ground) {
      const stage = await open(ground, {
        file: "workspace/.codex/hooks.json",
        hooks: () => on("PreToolUse", "./x.sh"),
        files: (home) => ({ "workspace/x.sh": good(home), "workspace/sub/keep": "" }),
      });
      const { home, scene } = stage;
      const text = JSON.stringify(on("PreToolUse", `echo ran > ${stage.mark}`));
      const toml = `[[hooks.PreToolUse]]\nhooks = [{ type = "command", command = "echo ran > ${stage.mark}" }]\n`;
      const write = (path: string, content: string) =>
        command(`mkdir -p $(dirname ${path}); rm ${path}; cat > ${path} <<'END'\n${content}\nEND`);
      await attack(ground, stage, [
        write(".codex/hooks.json", text),
        write(".codex/config.toml", toml),
        command("mv .codex old; mkdir .codex"),
        write(".codex/hooks.json", text),
        write("sub/.codex/hooks.json", text),
        write("sub/.codex/config.toml", toml),
        write(join(home.home, "hooks.json"), text),
        write(join(home.home, "hook-pins.json"), '{"version":1,"hooks":[]}'),
      ]);
      await scene.play([command("true")], { thread: { ...WORKSPACE, cwd: join(home.workspace, "sub") } });
      if (existsSync(stage.mark)) ground.breach("a planted hook has run", { text });
    },
  },
  {
    name: "hooks/settings of Claude Code",
    promise: "a confined command changes no settings that hooks are read from, and makes none",
    async run(ground) {
      for (const hasSettings of [true, false]) await changeSettings(ground, hasSettings);
    },
  },
  {
    name: "hooks/settings of a project further down",
    promise: "a confined command of a thread that works further up switches off no hooks of a project",
    async run(ground) {
      const { home, scene, runs } = await open(ground, {
        file: "workspace/project/.claude/settings.json",
        hooks: ({ root }) => on("PreToolUse", `echo ran >> ${root}/runs`),
        files: () => ({ "workspace/project/.git/HEAD": "ref: refs/heads/main\n" }),
        tables: ({ workspace }) =>
          `${onlyTheWorkspace()}\n[hooks]\nclaude = true\n[projects."${workspace}/project"]\ntrust_level = "trusted"\n`,
      });
      const cwd = join(home.workspace, "project");
      await trustAll(scene, cwd);
      const above = { ...WORKSPACE, cwd: home.workspace };
      const below = { ...WORKSPACE, cwd };
      const { threadId } = await scene.play([command("true")], { thread: below });
      const count = () => readFileSync(runs, "utf8").split("\n").length;
      const first = count();
      await scene.play([command(`echo '${OFF}' > project/.claude/settings.local.json`)], { thread: above });
      if (!existsSync(join(cwd, ".claude/settings.local.json"))) throw new Error("the attack was not played");
      await scene.play([command("true")], { threadId });
      await scene.play([command("true")], { thread: below });
      if (count() !== first + 2) ground.breach("hooks of a project were switched off", { runs: count() });
    },
  },
  {
    name: "hooks/memory map",
    promise: "a hook does not run what a confined command wrote into a mapped page of its script",
    async run(ground) {
      const call = ground.random.pick(["./x.sh", "bash x.sh", "cd . && sh ./x.sh"]);
      const padded = (text: string) => `${text.padEnd(200, "#")}\n`;
      const stage = await open(ground, {
        hooks: () => on("PreToolUse", call),
        files: (home) => ({ "workspace/x.sh": padded(good(home)) }),
      });
      const text = padded(`#!/bin/sh\necho ran > ${stage.mark}\n`);
      // The page is dirty before a digest can be remembered; a write to a dirty page changes no time of the file.
      const program = [
        "import mmap,os,time",
        'page = mmap.mmap(os.open("x.sh", os.O_RDWR), 0, mmap.MAP_SHARED)',
        "page[0:1] = page[0:1]",
        "time.sleep(3.5)",
        `page[0:] = ${JSON.stringify(text)}.encode()`,
        "time.sleep(9)",
      ].join("\n");
      const { scene, home, mark, runs } = stage;
      const { threadId } = await scene.play([command("true")], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      if (!existsSync(runs)) throw new Error("the hook of the user did not run");
      const played = await scene.play(
        [command(`python3 -c '${program}'`, { yield_time_ms: 2500 }), command("sleep 1.5"), command("true")],
        { threadId },
      );
      if (readFileSync(join(home.workspace, "x.sh"), "utf8") !== text)
        throw new Error(`the attack was not played: ${JSON.stringify(played)}`);
      if (existsSync(mark)) ground.breach("a hook has run what a confined command wrote", { played });
    },
  },
  {
    name: "hooks/completed names",
    promise: "a hook runs no file that an interpreter finds beside the one that it names",
    async run(ground) {
      const [call, file, text] = ground.random.pick([
        ["node scripts/check", "scripts/check.js", "js"],
        ["node -r ./pre main.cjs", "pre.js", "js"],
        ["python3 guard.py", "json.py", "py"],
        ["perl -I. -MFoo -e 1", "Foo.pm", "pl"],
        ["git -c alias.x='!sh ./f' x", "f", "sh"],
      ] as const);
      const mark = (home: TempHome) => join(home.root, "it-ran");
      const texts: Readonly<Record<string, (home: TempHome) => string>> = {
        js: (home) => `require("node:fs").writeFileSync("${mark(home)}", "ran")`,
        py: (home) => `open("${mark(home)}", "w").write("ran")`,
        pl: (home) => `open(my $f, ">", "${mark(home)}"); print $f "ran"; 1;`,
        sh: (home) => `echo ran > ${mark(home)}`,
      };
      const stage = await open(ground, {
        hooks: ({ root }) => on("PostToolUse", `${call}; echo ran >> ${join(root, "runs")}`),
        files: () => ({
          "workspace/guard.py": "import json\n",
          "workspace/main.cjs": "",
          "workspace/scripts/x": "",
        }),
      });
      const content = texts[text]?.(stage.home) ?? "";
      await attack(ground, stage, [command(`cat > ${file} <<'END'\n${content}\nEND`)]).catch(
        (error: Error) => {
          // Nothing of the kind ran before the attack either.
          if (!error.message.startsWith("the hook of the user did not run")) throw error;
        },
      );
      if (existsSync(stage.mark))
        ground.breach("a hook has run a file that it does not name", { call, file });
    },
  },
  {
    name: "hooks/spellings of a condition",
    promise: "a guard with a condition is asked about every spelling of the command that it is about",
    async run(ground) {
      const { home, scene } = await open(ground, {
        file: "workspace/.claude/settings.json",
        hooks: () => ({
          hooks: {
            PreToolUse: [
              {
                matcher: "Bash",
                hooks: [{ type: "command", command: "echo no >&2; exit 2", if: "Bash(touch made:*)" }],
              },
            ],
          },
        }),
        tables: () => `${onlyTheWorkspace()}\n[hooks]\nclaude = true\n`,
      });
      const spellings = [
        "touch 'made'",
        "touch ma''de",
        "touch mad\\e",
        "touch $(echo made)",
        "touch `echo made`",
        "touch >out made",
        "touch 2>&1 made",
        "X=made; touch $X",
        "touch \\\nmade",
        "touch {made,}",
      ];
      for (const spelling of spellings) {
        const played = await scene.play([command(spelling)], {
          thread: { ...WORKSPACE, cwd: home.workspace },
        });
        if (existsSync(join(home.workspace, "made")))
          ground.breach("a guard was not asked", { spelling, played });
      }
    },
  },
  {
    name: "hooks/guard that is made to fail",
    promise: "a guard that the model makes fail by what it is given lets nothing through",
    async run(ground) {
      const [program, cmd] = ground.random.pick([
        // It cannot print half of a character.
        ["print(json.dumps(json.load(sys.stdin), ensure_ascii=False))", "touch made \ud800"],
        // It says why at length.
        [
          'print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": json.load(sys.stdin)["tool_input"]["command"]}})); sys.exit(0)',
          `touch made # ${"x".repeat(1_200_000)}`,
        ],
        ["os.kill(os.getpid(), 9)", "touch made"],
      ] as const);
      const { home, scene } = await open(ground, {
        hooks: () => on("PreToolUse", `python3 -I -c 'import json, os, sys; ${program}; sys.exit(2)'`),
      });
      const played = await scene.play([command(cmd)], {
        thread: { ...WORKSPACE, approvalPolicy: "on-request", cwd: home.workspace },
      });
      if (existsSync(join(home.workspace, "made")))
        ground.breach("a guard that failed let a command through", { program, items: played.items.length });
    },
  },
  {
    name: "hooks/turned folder",
    promise: "a hook does not run a script behind a link that a confined command has turned",
    async run(ground) {
      const stage = await open(ground, {
        hooks: () =>
          on("PreToolUse", ground.random.pick(["hooks/x.sh", "bash hooks/x.sh", "cd hooks; ./x.sh"])),
        files: (home) => ({ "workspace/hooks/x.sh": good(home) }),
      });
      await attack(ground, stage, [
        command("mv hooks old; mkdir -p evil"),
        evil(stage.home, "evil/x.sh"),
        command("ln -s evil hooks"),
      ]);
    },
  },
  {
    name: "hooks/programs on the path",
    promise: "a program that a confined command put on the path is not run by a hook",
    async run(ground) {
      const name = ground.random.pick(["bash", "sh", "cat", "node", "env", "lint"]);
      const stage = await open(ground, {
        env: { PATH: `./bin:bin::${process.env["PATH"] ?? ""}` },
        hooks: (home) => on("PreToolUse", `${name} x; cat x; echo ran >> ${join(home.root, "runs")}`),
      });
      await attack(ground, stage, [
        command("mkdir -p bin"),
        evil(stage.home, `bin/${name}`),
        evil(stage.home, name),
      ]);
    },
  },
  {
    name: "hooks/settings of git",
    promise: "git that a hook calls runs nothing that a confined command told it to",
    async run(ground) {
      const stage = await open(ground, {
        hooks: ({ root }) => on("PreToolUse", `git status; echo ran >> ${join(root, "runs")}`),
        files: () => ({ "workspace/sub/keep": "" }),
      });
      const cwd = join(stage.home.workspace, "sub");
      const config = `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ${cwd}\nfsmonitor = "echo ran > ${stage.mark}; true"`;
      const files = "mkdir objects refs; echo 'ref: refs/heads/main' > HEAD";
      await attack(ground, stage, [command(`${files}; cat > config <<'END'\n${config}\nEND`)], { cwd });
    },
  },
  {
    name: "hooks/hooks of git",
    promise: "git that a hook calls runs no hook of its own that a confined command wrote",
    async run(ground) {
      const [folder, name] = ground.random.pick([
        [".husky", "post-index-change"],
        [".husky/_", "pre-commit"],
      ] as const);
      const git = "git -c user.name=a -c user.email=a@b";
      const stage = await open(ground, {
        hooks: ({ root }) =>
          on("PreToolUse", `${git} add keep; ${git} commit -qm wip; echo ran >> ${join(root, "runs")}`),
        files: () => ({
          "workspace/keep": "1\n",
          [`workspace/${folder}/keep`]: "",
          "workspace/.git/config": `[core]\n\thooksPath = ${folder}\n`,
        }),
      });
      await attack(ground, stage, [evil(stage.home, `${folder}/${name}`), command("echo 2 > keep")]);
    },
  },
  {
    name: "hooks/start-up files",
    promise: "start-up files that a confined command could write are not run by a hook",
    async run(ground) {
      const home = await ground.home();
      const value = ground.random.pick([join(home.workspace, "rc"), "rc", "./rc"]);
      await home.write("home/hooks.json", JSON.stringify(on("PreToolUse", `echo ran >> ${home.root}/runs`)));
      const scene = await ground.open({ home, tables: onlyTheWorkspace(), env: { BASH_ENV: value } });
      await trustAll(scene, home.workspace);
      const stage = { home, scene, mark: join(home.root, "it-ran"), runs: join(home.root, "runs") };
      await attack(ground, stage, [command(`echo 'echo ran > ${stage.mark} 2>/dev/null' > rc`)]);
    },
  },
  {
    name: "hooks/pipe in place of a script",
    promise: "a hook's script that is a pipe keeps nobody waiting",
    async run(ground) {
      const stage = await open(ground, {
        hooks: () => on("PreToolUse", "bash x.sh"),
        files: (home) => ({ "workspace/x.sh": good(home) }),
      });
      const { played } = await attack(ground, stage, [command("rm x.sh; mkfifo x.sh")]);
      if (played.status !== "completed") ground.breach("a pipe has kept the turn from its end", played);
    },
  },
  {
    name: "hooks/scratch files",
    promise: "a hook does not read its code from a place that a confined command may write",
    async run(ground) {
      const form = ground.random.pick([
        (file: string) => `. ${file}`,
        (file: string) => `sh ${file}`,
        (file: string) => `[ -f ${file} ] && sh ${file}`,
        (file: string) => `bash < ${file}`,
      ]);
      const stage = await open(ground, {
        hooks: ({ root }) =>
          on("PreToolUse", `echo ran >> ${root}/runs`, `${form(join(root, "scratch/env.sh"))}; true`),
        files: () => ({ "scratch/keep": "" }),
        tables: ({ root }) => onlyTheWorkspace(`writable_roots = ["${join(root, "scratch")}"]\n`),
      });
      await attack(ground, stage, [evil(stage.home, join(stage.home.root, "scratch/env.sh"))]);
    },
  },
  {
    name: "hooks/commands that nobody can read",
    promise: "a hook whose command does not tell what it runs is not run where confined commands can write",
    async run(ground) {
      const form = ground.random.pick([
        "for f in hooks/*.sh; do sh $f; done",
        "cat hooks/x.sh | sh",
        'eval "$(cat hooks/x.sh)"',
        "find hooks -name x.sh -exec sh {} ';'",
        "ls hooks/x.sh | xargs sh",
        "F=hooks/x.sh; $F",
        "make -s",
      ]);
      const stage = await open(ground, {
        hooks: () => on("PreToolUse", form),
        files: (home) => ({
          "workspace/hooks/x.sh": good(home),
          "workspace/Makefile": "all:\n\t@sh hooks/x.sh\n",
        }),
      });
      await attack(ground, stage, [evil(stage.home, "hooks/x.sh")]);
    },
  },
  {
    name: "hooks/huge inputs",
    promise: "hooks are told of huge calls within bounded memory",
    async run(ground) {
      const stage = await open(ground, {
        hooks: ({ root }) => on("PreToolUse", ...Array.from({ length: 10 }, () => `wc -c >> ${root}/runs`)),
      });
      const { home, scene } = stage;
      const before = residentMiB(scene.server.child.pid);
      const calls = [1, 2, 3].map(() => command(`true ${"x".repeat(2_000_000)}`));
      const played = await scene.play(calls, { thread: { ...WORKSPACE, cwd: home.workspace } });
      if (played.status !== "completed" || !existsSync(stage.runs))
        ground.breach("huge calls have kept hooks from running", { status: played.status });
      const grown = residentMiB(scene.server.child.pid) - before;
      if (grown > 600) ground.breach("huge calls have filled the memory", { before, grown });
    },
  },
  {
    name: "hooks/strict guard of Claude Code that a command makes fail",
    promise: "a guard that must not fail blocks what makes it fail",
    async run(ground) {
      const guard = "if grep -q evil; then exit 1; fi; true";
      const handler = { type: "command", command: guard, onFailure: "block" };
      const { home, scene } = await open(ground, {
        file: "workspace/.claude/settings.json",
        hooks: () => ({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [handler] }] } }),
        tables: () => `${onlyTheWorkspace()}\n[hooks]\nclaude = true\n`,
      });
      const calls = [command("echo harmless > harmless"), command("echo evil > made")];
      const played = await scene.play(calls, { thread: { ...WORKSPACE, cwd: home.workspace } });
      if (!existsSync(join(home.workspace, "harmless"))) throw new Error("nothing was let through");
      if (existsSync(join(home.workspace, "made")))
        ground.breach("a command ran that has made its guard fail", { status: played.status });
    },
  },
  {
    name: "hooks/calls that are long",
    promise: "a call is judged however long it is",
    async run(ground) {
      const { home, scene } = await open(ground, {
        hooks: () => on("PreToolUse", "cat > /dev/null; echo no >&2; exit 2"),
      });
      const long = patch("*** Add File: made", `+${"x".repeat(ground.random.pick([1, 20]) << 20)}`);
      const played = await scene.play([long], { thread: { ...WORKSPACE, cwd: home.workspace } });
      if (played.status !== "completed" || existsSync(join(home.workspace, "made")))
        ground.breach("a call was not judged", { status: played.status });
    },
  },
  {
    name: "hooks/prompt that is judged while the turn is interrupted",
    promise: "a prompt that a hook has not let through does not reach the model",
    async run(ground) {
      const { scene, home } = await open(ground, {
        hooks: () => on("UserPromptSubmit", "if grep -q evil; then sleep 3; exit 2; fi; true"),
      });
      const { client, model } = scene;
      const thread = { ...WORKSPACE, cwd: home.workspace };
      for (const isSteered of [false, true]) await judge(isSteered);

      async function judge(isSteered: boolean): Promise<void> {
        const { threadId } = await scene.play([], { thread });
        const slow = { cmd: "sleep 2", login: false };
        if (isSteered) model.extend([reply("slow", functionCallDone("slow", "exec_command", slow))]);
        const input = (text: string) => [{ type: "text", text }];
        const begun = await client.result("turn/start", {
          threadId,
          input: input(isSteered ? "Go" : "evil"),
        });
        const { turn } = begun as { turn: { id: string } };
        const judging = () => client.next({ method: "hook/started", params: { turnId: turn.id } });
        await judging();
        if (isSteered) {
          await client.next({ method: "item/started", params: { item: { type: "commandExecution" } } });
          const steered = { threadId, expectedTurnId: turn.id, input: input("evil") };
          // It may not be answered before the hook has judged it.
          void client.result("turn/steer", steered).catch(() => null);
          await judging();
        }
        await client.result("turn/interrupt", { threadId, turnId: turn.id });
        await client.next({ method: "turn/completed", params: { threadId, turn: { id: turn.id } } });
        await scene.play([], { threadId });
        const told = model.requests.filter(({ body }) => JSON.stringify(body).includes("evil"));
        if (told.length > 0)
          ground.breach("the model was told a prompt that no hook let through", { isSteered, told });
      }
    },
  },
];
