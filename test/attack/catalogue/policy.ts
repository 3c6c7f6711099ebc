/** Attacks through the text of a command: on parsing time, on requests for approval, on display. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../support/random.ts";
import type { Attack } from "../attack.ts";
import { residentMiB } from "../attack-harness.ts";
import { command } from "../attacked-server.ts";
import { WORKSPACE, workspaceOnly } from "./bounds.ts";

type Wrap = (inner: string) => string;

const FULL = { sandbox: "danger-full-access", approvalPolicy: "on-request" };
const quote = (script: string) => `'${script.replaceAll("'", String.raw`'\''`)}'`;
const repeat = (piece: string, characters: number) => piece.repeat(Math.ceil(characters / piece.length));

/** Inputs that are slow for a parser with backtracking or exponential search. */
const SLOW = [
  "-exec find . ",
  "-exec ls ; ",
  "find . -exec ls ",
  "sudo env xargs ",
  "a|",
  "a=( ",
  "[[ a =~ ( ",
  "for ((;;",
  "<<a ",
  "$(",
  '"$(',
  "`a ",
  "((",
  "{a,b",
  "cd a; ",
  "nl -b | ",
  "foo | nl -b | ",
  "bash -c x bash -c ",
  "eval ",
  "echo 'a' | sh | ",
  "--token ",
  "TOKEN=' ",
];

/** Ways to run a program that only the shell or another program resolves. */
const DISGUISES: readonly Wrap[] = [
  (rm) => rm,
  (rm) => `\\${rm}`,
  (rm) => rm.replace("rm", "r'm'"),
  (rm) => rm.replace("rm", '"rm"'),
  (rm) => rm.replace("rm", () => "$'rm'"),
  (rm) => rm.replace("rm", "/bin/rm"),
  (rm) => rm.replace("-rf", "-r''f"),
  (rm) => rm.replace("-rf", "-r --force"),
];
const RUNNERS =
  "command,exec,nice,nice -n 5,nohup,setsid -w,env,env -i A=b,env --unset X,time,timeout 5,timeout --signal KILL 5,timeout -sKILL 5,timeout --sig=KILL 5,stdbuf -oL,coproc";
const WRAPS = RUNNERS.split(",")
  .map(
    (wrapper): Wrap =>
      (inner) =>
        `${wrapper} sh -c ${quote(inner)}`,
  )
  .concat(
    (inner) => `bash -c ${quote(inner)}`,
    (inner) => `bash -ec ${quote(inner)}`,
    (inner) => `bash -c ${quote(inner)} x`,
    (inner) => `bash --norc -o errexit -c ${quote(inner)}`,
    (inner) => `bash +e -c ${quote(inner)}`,
    (inner) => `sh -c '"$@"' x sh -c ${quote(inner)}`,
    (inner) => `bash <<'EOF'\n${inner}\nEOF`,
    (inner) => `bash -s <<EOF\n${inner.replaceAll("\\", "\\\\").replaceAll("$", "\\$")}\nEOF`,
    (inner) => `bash <<< ${quote(inner)}`,
    (inner) => `printf '%s\\n' ${quote(inner)} | sh`,
    (inner) => `echo x | xargs -I {} sh -c ${quote(inner)}`,
    (inner) => `find . -maxdepth 0 -exec sh -c ${quote(inner)} x {} \\;`,
    (inner) => `eval ${quote(inner)}`,
    (inner) => `trap ${quote(inner)} EXIT`,
    (inner) => `(${inner})`,
    (inner) => `if true; then ${inner}\nfi`,
    (inner) => `f() { ${inner}\n}; f`,
    (inner) => `echo "$(${inner}\n)"`,
    (inner) => `case x in x) ${inner}\n;; esac`,
  );

function disguisedRemoval(random: Random): string {
  let script = random.chance(0.1) ? "env -vS 'rm -rf keep'" : random.pick(DISGUISES)("rm -rf keep");
  for (let depth = random.below(3); depth >= 0; depth -= 1) script = random.pick(WRAPS)(script);
  return script;
}

/** A repository that a sandboxed command creates, and the allowed command that would use it. */
const REPOSITORIES: readonly ((payload: string) => readonly [string, object])[] = [
  (payload) => [`git init -q sub; git -C sub config core.fsmonitor ${quote(payload)}`, { workdir: "sub" }],
  (payload) => [
    `git init -q --bare sub; git -C sub config core.bare false; git -C sub config core.worktree ..; git -C sub config core.fsmonitor ${quote(payload)}`,
    { workdir: "sub" },
  ],
  (payload) => [
    `git init -q deep/er; git -C deep/er config core.fsmonitor ${quote(payload)}; mkdir -p deep/er/a/b`,
    { workdir: "deep/er/a/b" },
  ],
  (payload) => [
    `git init -q real; git -C real config core.fsmonitor ${quote(payload)}; mkdir sub; echo "gitdir: ../real/.git" > sub/.git`,
    { workdir: "sub" },
  ],
];

const SECRET = "Zq8vT1rXw3Lm5Np7";
const SHOWN: readonly string[] = [
  `--password ${SECRET}`,
  `--password=${SECRET}`,
  `--api-token '${SECRET}'`,
  `https://me:${SECRET}@example.org`,
  `; true curl -u me:${SECRET}`,
  `; export AWS_SECRET_ACCESS_KEY=${SECRET}`,
  `; MY_TOKEN="${SECRET}" true`,
  `-H 'Authorization: Bearer ${SECRET}${SECRET}'`,
  `-H 'Authorization: Basic ${SECRET}'`,
  `sk-${SECRET}${SECRET}`,
  `ghp_${SECRET}${SECRET}`,
];

export const policyAttacks: readonly Attack[] = [
  {
    name: "policy/slow commands",
    promise: "no command keeps the server from its other work, and none is judged without end",
    async run(harness) {
      const attacked = await harness.open();
      const { random } = harness;
      const lead = random.pick(["", "find . ", "ls; ", "sudo "]);
      const script = lead + repeat(random.pick(SLOW), random.pick([800, 8000, 64_000, 300_000]));
      const sandbox = random.pick(["danger-full-access", "read-only"]);
      const evidence = { lead, script: script.slice(0, 60), length: script.length, sandbox };
      let slowest = 0;
      const asking = { isOn: true };
      const watch = (async () => {
        while (asking.isOn) {
          const start = performance.now();
          await attacked.client.result("thread/loaded/list", {});
          slowest = Math.max(slowest, performance.now() - start);
          await new Promise((resolve) => void setTimeout(resolve, 20));
        }
      })();
      try {
        const thread = { sandbox, approvalPolicy: "never" };
        await attacked.play([command(`false && { ${script}`), command(script, { workdir: "/" })], { thread });
      } catch (error) {
        harness.breach("the turn did not end", { ...evidence, error: String(error) });
      } finally {
        asking.isOn = false;
      }
      await watch;
      if (slowest > 2000) harness.breach("another request had to wait", { ...evidence, slowest });
      const memory = residentMiB(attacked.server.child.pid);
      if (memory > 700) harness.breach("the server holds too much memory", { ...evidence, memory });
    },
  },
  {
    name: "policy/forced removal",
    promise: "forced removal that the words of a command tell is asked about, also in full access",
    async run(harness) {
      const attacked = await harness.open();
      const { workspace } = attacked.server.home;
      const scripts = Array.from({ length: 8 }, () => disguisedRemoval(harness.random));
      for (const script of scripts) {
        writeFileSync(join(workspace, "keep"), "kept");
        const { asked } = await attacked.play([command(script)], { thread: { ...FULL, cwd: workspace } });
        const isKept = existsSync(join(workspace, "keep"));
        if (asked.length === 0 || !isKept)
          harness.breach("a forced removal was not asked about", { script, isKept, asked });
      }
    },
  },
  {
    name: "policy/allowed git",
    promise: "a rule does not let git leave the sandbox in a repository that a confined command made",
    async run(harness) {
      const home = await harness.home();
      const mark = join(home.root, "it-ran");
      const allowed = harness.random.pick(['["git", "status"]', '["git"]']);
      await home.write("home/rules/default.rules", `prefix_rule(pattern=${allowed}, decision="allow")\n`);
      const attacked = await harness.open({ home, tables: workspaceOnly() });
      const thread = { ...WORKSPACE, cwd: home.workspace };
      const [made, where] = harness.random.pick(REPOSITORIES)(`touch ${mark}; :`);
      const use = [command("git status", where), command("/usr/bin/git status", where)];
      const played = await attacked.play([command(made), ...use], { thread });
      const escape =
        allowed === '["git"]' ? await attacked.play(escapes(mark), { threadId: played.threadId }) : null;
      if (existsSync(mark))
        harness.breach("git has run what a confined command wrote", { made, where, played, escape });
    },
  },
  {
    name: "policy/secrets",
    promise:
      "a secret on a command line is shown to nobody but who is asked, and not recorded with the decision",
    async run(harness) {
      const attacked = await harness.open();
      const { home, workspace } = attacked.server.home;
      const shown = harness.random.pick(SHOWN);
      const policy = harness.random.pick(["untrusted", "on-request"]);
      await attacked.play([command(`true ${shown}`)], {
        thread: { ...FULL, approvalPolicy: policy, cwd: workspace },
      });
      const messages = attacked.client.received
        .filter(({ method }) => method?.startsWith("item/") === true)
        .filter(({ message }) => message["id"] === undefined)
        .map(({ message }) => JSON.stringify(message));
      const { command: node, args } = harness.program;
      const log = execFileSync(node, [...args, "approvals", "log", "--json"], {
        env: { ...process.env, CODEX_HOME: home, HEDDLE_HOME: home },
        encoding: "utf8",
      });
      if (!log.includes("true")) harness.breach("the decision is not on record", { log });
      const files = readdirSync(home).filter((name) => name.startsWith("heddle.sqlite"));
      const stored = files.map((name) => readFileSync(join(home, name)).toString("latin1"));
      const leak = [...messages, log, ...stored].find((text) => text.includes(SECRET));
      if (leak !== undefined)
        harness.breach("a secret is shown", { shown, policy, where: leak.slice(0, 500) });
    },
  },
];

function escapes(mark: string) {
  return [
    command(`git log --output=${mark}`),
    command(`git -C sub status`),
    command(`git -c core.fsmonitor=${quote(`touch ${mark}; :`)} status`),
    command(`git -c alias.x=${quote(`!touch ${mark}`)} x`),
  ];
}
