/**
 * A port grows one member at a time: each member needs a caller in the product, or it goes. And some members have one
 * caller only: there is one way to start a turn.
 */
import { relative, resolve } from "node:path";
import { API, type Project } from "typescript/unstable/sync";
import { afterAll, expect, test } from "vitest";

/** Where each port is declared, and the folders and files that implement it or pass it on. */
const PORTS: readonly { readonly name: string; readonly file: string; readonly own: RegExp }[] = [
  { name: "ThreadService", file: "src/runtime/thread-service.ts", own: /^src\/runtime\/thread-service\.ts$/ },
  {
    name: "Turns",
    file: "src/runtime/threads/turns.ts",
    own: /^src\/runtime\/(?:thread-service|threads\/turns)\.ts$/,
  },
  {
    name: "LaneHolder",
    file: "src/runtime/threads/lane.ts",
    own: /^src\/runtime\/(?:thread-service|threads\/lane)\.ts$/,
  },
  { name: "Store", file: "src/store/store.ts", own: /^src\/store\// },
  { name: "ThreadStore", file: "src/store/thread-store.ts", own: /^src\/store\// },
  { name: "Journal", file: "src/store/journal.ts", own: /^src\/store\// },
  { name: "Queue", file: "src/store/queue.ts", own: /^src\/store\// },
  { name: "QueueLog", file: "src/store/queue-log.ts", own: /^src\/store\// },
  { name: "Schedules", file: "src/store/schedules.ts", own: /^src\/store\// },
  { name: "WakeTokens", file: "src/store/wake-tokens.ts", own: /^src\/store\// },
  { name: "Outbox", file: "src/store/outbox.ts", own: /^src\/store\// },
  { name: "Waits", file: "src/store/waits.ts", own: /^src\/store\// },
  { name: "Activity", file: "src/store/activity.ts", own: /^src\/store\// },
  { name: "Decisions", file: "src/store/decisions.ts", own: /^src\/store\// },
  // Only the stores themselves use leases.
  {
    name: "Leases",
    file: "src/store/leases.ts",
    own: /^src\/store\/(?:leases\.ts|[a-z]+\/[a-z/-]*leases\.ts)$/,
  },
];

/** Members without a caller, each with the reason. */
const WITHOUT_CALLER: Readonly<Record<string, string>> = {
  "ThreadService.spawn": "the tools of agents call it; its test does until they exist",
};

const api = new API({ cwd: resolve(".") });
const [project] = api.updateSnapshot({ openProject: resolve("tsconfig.json") }).getProjects();
afterAll(() => api.close());

const isProduct = (path: string): boolean =>
  path.startsWith("src/") && !/\.(?:test|fixture|contract)\.ts$|\/fixtures\//.test(path);

/** The members of an interface with the product files that mention them. */
function callersOf({ program, checker }: Project, name: string, file: string): Map<string, string[]> {
  const source = program.getSourceFile(resolve(file));
  const declaration = source?.statements.find((each) => "name" in each && nameOf(each.name) === name);
  if (source === undefined || declaration === undefined || !("members" in declaration))
    throw new Error(`${file} declares no interface ${name}`);
  const members = declaration.members as Iterable<{
    readonly name: Parameters<typeof checker.getReferencedSymbolsForNode>[0];
  }>;
  return new Map(
    [...members].map(({ name: member }) => [
      nameOf(member),
      checker
        .getReferencedSymbolsForNode(member, member.getStart(source))
        .flatMap(({ references }) => references.map(({ path }) => relative(".", path))),
    ]),
  );
}

function nameOf(node: unknown): string {
  return typeof node === "object" && node !== null && "text" in node ? String(node.text) : "";
}

test.each(PORTS)("every member of $name has a caller in the product", ({ name, file, own }) => {
  if (project === undefined) throw new Error("tsconfig.json is no project");
  const idle = [...callersOf(project, name, file)].flatMap(([member, paths]) =>
    paths.some((path) => isProduct(path) && !own.test(path)) ? [] : [`${name}.${member}`],
  );
  expect(idle).toEqual(Object.keys(WITHOUT_CALLER).filter((member) => member.startsWith(`${name}.`)));
});

/** Members that only the named files may call, besides those of the module that declares them. */
const RESERVED: readonly {
  readonly name: string;
  readonly file: string;
  readonly own: RegExp;
  readonly members: readonly string[];
  readonly callers: readonly string[];
}[] = [
  {
    name: "Thread",
    file: "src/engine/thread-options.ts",
    own: /^src\/engine\//,
    members: ["accept", "acceptShellCommand", "steer", "interrupt", "inject", "changeSettings"],
    callers: ["src/runtime/threads/turns.ts"],
  },
  {
    name: "Engine",
    file: "src/engine/engine.ts",
    own: /^src\/engine\//,
    members: ["start"],
    callers: ["src/runtime/threads/load-thread.ts"],
  },
  {
    name: "ThreadLoader",
    file: "src/runtime/threads/thread-loader.ts",
    own: /^src\/runtime\/threads\//,
    members: ["start", "resume", "fork", "spawn"],
    callers: ["src/runtime/thread-service.ts"],
  },
];

test.each(RESERVED)("$name is changed in one place only", ({ name, file, own, members, callers }) => {
  if (project === undefined) throw new Error("tsconfig.json is no project");
  const found = callersOf(project, name, file);
  const others = members.flatMap((member) =>
    (found.get(member) ?? [`${name} has no member ${member}`])
      .filter((path) => isProduct(path) && !own.test(path) && !callers.includes(path))
      .map((path) => `${path} calls ${name}.${member}`),
  );
  expect([...new Set(others)]).toEqual([]);
});
