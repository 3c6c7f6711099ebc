/** Where the time of the processor goes: samples of a profile, counted for the stage of a turn whose code they belong to. */

/** What V8 writes as a `.cpuprofile`, as far as it is read here. */
export type CpuProfile = {
  readonly nodes: readonly ProfileNode[];
  /** The node on top of the stack, and the microseconds until the next sample. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

type ProfileNode = {
  readonly id: number;
  readonly callFrame: Frame;
  readonly children?: readonly number[];
};

type Frame = {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
};

/** The file of the repository that code of the bundle comes from; null for code of others. */
export type SourceOf = (frame: Frame) => string | null;

/** By the beginnings of the names of files; the first that fits counts. */
const STAGES: readonly (readonly [stage: string, ...beginnings: string[]])[] = [
  ["read and write messages", "src/transport/", "src/jsonrpc/"],
  ["check them", "src/protocol/"],
  ["run hooks, and see that there are none", "src/hooks/", "src/engine/hooks/"],
  ["index", "src/store/files/sqlite/", "src/store/files/index/", "src/store/pages/"],
  ["journal", "src/store/", "src/base/open-regular-file.ts", "src/base/file-system.ts"],
  [
    "make the request",
    "src/engine/turn/model-request.ts",
    "src/engine/context/",
    "src/engine/input/",
    "src/model/http/to-http-request.ts",
    "src/model/catalog/",
  ],
  ["send it and read the stream", "src/model/", "src/base/network/", "node_modules/eventsource-parser/"],
  ["items and history", "src/engine/items/", "src/engine/history/"],
  ["take the turn through its states", "src/engine/"],
  ["notify clients", "src/server/connections/"],
  ["accept turns, keep threads", "src/server/", "src/runtime/", "src/base/lanes.ts"],
  ["settings, policy and tools", "src/config/", "src/policy/", "src/tools/", "src/skills/"],
];
const OTHER = "other code";
const OWN_NAMES = new Map([
  ["(garbage collector)", "garbage collector"],
  ["(program)", "V8 itself"],
]);
const NODE = "Node's own streams, timers and promises";
const IDLE = "(idle)";

/** Microseconds by stage, without the time in which nothing was to do. What a library does counts for its caller. */
export function countStages(profile: CpuProfile, sourceOf: SourceOf): Map<string, number> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const stages = new Map<number, string>();

  function stageOf(id: number): string {
    const known = stages.get(id);
    if (known !== undefined) return known;
    const frame = nodes.get(id)?.callFrame;
    const parent = parents.get(id);
    const stage =
      (frame &&
        (OWN_NAMES.get(frame.functionName) ?? (frame.functionName === IDLE ? IDLE : ownStage(frame)))) ??
      (parent === undefined ? NODE : stageOf(parent));
    stages.set(id, stage);
    return stage;
  }

  function ownStage(frame: Frame): string | undefined {
    const source = sourceOf(frame);
    if (source === null) return undefined;
    const found = STAGES.find(([, ...beginnings]) =>
      beginnings.some((beginning) => source.startsWith(beginning)),
    );
    return found?.[0] ?? OTHER;
  }

  const times = new Map<string, number>();
  for (const [at, id] of profile.samples.entries()) {
    const stage = stageOf(id);
    if (stage !== IDLE) times.set(stage, (times.get(stage) ?? 0) + (profile.timeDeltas[at] ?? 0));
  }
  return times;
}
