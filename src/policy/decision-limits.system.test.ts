import fc from "fast-check";
import { expect, test } from "vitest";
import { processorTime } from "../base/processor-time.fixture.ts";
import { propertyRuns } from "../base/property-runs.fixture.ts";
import { type CommandRequest, decideCommand } from "./decide-command.ts";
import { parseRules } from "./rules/parse-rules.ts";
import { openShellGrammar } from "./shell/shell-grammar.ts";

const grammar = await openShellGrammar();
const { rules } = parseRules(
  Array.from({ length: 200 }, (_, each) => `prefix_rule(pattern=["p${each}", "x"], decision="prompt")`).join(
    "\n",
  ),
);
const MAX_CHARACTERS = 65_536;

function decide(argv: readonly string[], changes: Partial<CommandRequest> = {}) {
  return decideCommand(grammar, {
    argv,
    cwd: "/project",
    tty: false,
    shell: "/bin/bash",
    policy: "on-request",
    sandbox: { type: "dangerFullAccess" },
    sandboxAbility: { kind: "enforced", by: "bubblewrap" },
    escalated: false,
    justification: null,
    wantedPrefix: ["p1"],
    rules,
    sessionGrants: new Set(),
    trustsReadOnlyCommands: true,
    canBeHijacked: () => false,
    ...changes,
  });
}

const quote = (script: string) => `'${script.replaceAll("'", `'\\''`)}'`;
type Wrap = (inner: string) => string;
/** Every kind of nesting that the policy supports. */
const WRAPS: readonly Wrap[] = [
  ...(
    "builtin chronic command doas exec ionice nice nohup setsid stdbuf sudo time busybox toybox unshare nsenter " +
    "strace ltrace numactl systemd-run setpriv fakeroot noglob env eval xargs watch parallel hyperfine"
  )
    .split(" ")
    .map(
      (name): Wrap =>
        (inner) =>
          `${name} ${inner}`,
    ),
  (inner) => `timeout -s KILL 5 ${inner}`,
  (inner) => `taskset -c 0 ${inner}`,
  (inner) => `chrt -f 1 ${inner}`,
  (inner) => `chroot / ${inner}`,
  (inner) => `flock -n f ${inner}`,
  (inner) => `sudo --unknown x ${inner}`,
  (inner) => `$SUDO ${inner}`,
  (inner) => `env A=1 B=2 ${inner}`,
  (inner) => `find . -exec ${inner}`,
  (inner) => `find . -exec ${inner} \\; -exec ${inner} {} +`,
  (inner) => `fd -x ${inner}`,
  (inner) => `gdb --args ${inner}`,
  (inner) => `coproc ${inner}`,
  (inner) => `env -S ${quote(inner)}`,
  (inner) => `bash -ec ${quote(inner)}`,
  (inner) => `sh -c '"$@"' x ${inner}`,
  (inner) => `su -c ${quote(inner)}`,
  (inner) => `script -qc ${quote(inner)}`,
  (inner) => `trap ${quote(inner)} EXIT`,
  (inner) => `echo ${quote(inner)} | sh`,
  (inner) => `printf '%s\\n' ${quote(inner)} | sh`,
  (inner) => `printf ${quote(inner)} ${inner} | sh`,
  (inner) => `sh <<< ${quote(inner)}`,
  (inner) => `bash <<E\n${inner}\nE\n`,
  (inner) => `(${inner})`,
  (inner) => `{ ${inner}; }`,
  (inner) => `echo $(${inner})`,
  (inner) => `echo "$(${inner})"`,
  (inner) => `eval "$(echo ${inner})"`,
  (inner) => `cat <(${inner})`,
  (inner) => `if ${inner}; then ${inner}; fi`,
  (inner) => `case x in x) ${inner};; esac`,
  (inner) => `f() { ${inner}; }`,
  (inner) => `((${inner}))`,
  (inner) => `${inner} | ${inner}`,
  (inner) => `${inner}; ${inner}`,
  (inner) => `${inner} > /dev/null`,
];
const CORES = [
  "ls",
  "rm -rf a",
  "a b c",
  "p7 x",
  ")",
  "'",
  "((",
  "find . -exec",
  "<<E",
  "a=(",
  "[[ a =~ (",
  "a|",
  "%00",
  "%s%b",
];
/** Mixed nesting slightly over the maximum length, or one repeated piece. */
const recipe = fc.record({
  inner: fc.nat(CORES.length - 1),
  wraps: fc.array(fc.nat(WRAPS.length - 1), { minLength: 1, maxLength: 30 }),
  length: fc.integer({ min: 1, max: MAX_CHARACTERS + 500 }),
  isRepeated: fc.boolean(),
});

function cook({ inner, wraps, length, isRepeated }: typeof recipe extends fc.Arbitrary<infer T> ? T : never) {
  const longest = isRepeated ? 200 : length;
  let script = CORES[inner] ?? "";
  for (let at = 0; script.length < longest; at += 1) {
    const wider = WRAPS[wraps[at % wraps.length] ?? 0]?.(script) ?? script;
    if (wider.length > MAX_CHARACTERS + 500) break;
    script = wider;
  }
  return isRepeated ? `${script} `.repeat(Math.ceil(length / (script.length + 1))).slice(0, length) : script;
}

test("any nesting of wrappers is decided within 50 milliseconds, whatever its length", {
  timeout: 120_000,
}, () => {
  decide(["/bin/bash", "-lc", "ls | wc -l"]);
  fc.assert(
    fc.property(recipe, (given) => {
      const script = cook(given);
      expect(processorTime(() => decide(["/bin/bash", "-lc", script]))).toBeLessThan(50);
    }),
    propertyRuns(100),
  );
});

test.each([60, 500, 5000])(
  "%i commands within each other are judged at once, and asked about",
  { timeout: 30_000 },
  (count) => {
    const argv = ["/bin/bash", "-lc", `find . ${"-exec find . ".repeat(count)}`];
    expect(processorTime(() => decide(argv))).toBeLessThan(50);
    const before = process.memoryUsage().heapUsed;
    expect(decide(argv)).toMatchObject({ kind: "ask" });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20);
    expect(decide(argv, { policy: "never" })).toMatchObject({ kind: "forbid" });
  },
);

/** Texts for which the grammar alone takes seconds or gigabytes. */
test.each([
  "a|",
  "a=( ",
  "[[ a =~ ( ",
  "for ((;;",
  "<<a ",
  "-exec ls ; ",
  "$(",
  "`",
  '"$(',
  "a & ",
  "{a,b} ",
  "((a) ",
  "find . -exec ls ",
  "cd a; ",
  "bash -c x x ",
])("64 KB of %j are judged at once", { timeout: 30_000 }, (piece) => {
  const script = piece.repeat(MAX_CHARACTERS / piece.length - 10);
  const before = process.memoryUsage().rss;
  expect(processorTime(() => decide(["/bin/bash", "-lc", script]))).toBeLessThan(50);
  expect(process.memoryUsage().rss - before).toBeLessThan(256 * 2 ** 20);
});

test.each(["on-request", "untrusted", "never"] as const)(
  "what is too long or too deep to be read is asked about in every sandbox, and refused where nobody may be asked: %s",
  (policy) => {
    const reason = "too long or too deeply nested to be judged";
    for (const script of [`ls ${"a".repeat(MAX_CHARACTERS)}`, `${"( ".repeat(500)}ls${" )".repeat(500)}`]) {
      for (const type of ["dangerFullAccess", "workspaceWrite", "readOnly"] as const) {
        expect(decide(["/bin/bash", "-lc", script], { policy, sandbox: { type } })).toMatchObject({
          kind: policy === "never" ? "forbid" : "ask",
          reason: expect.stringContaining(reason),
        });
      }
    }
    expect(decide(Array<string>(40_000).fill("a"), { policy })).toMatchObject({
      kind: policy === "never" ? "forbid" : "ask",
    });
  },
);
