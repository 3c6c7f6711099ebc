/** The fixtures of the lifecycle layer as cases for any program that reads and renders on the command line. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, sortedJson } from "../../lifecycle/index.ts";
import { goldenCases } from "./golden-cases.ts";

export interface Case {
  readonly id: string;
  readonly args: readonly string[];
  readonly stdin: unknown;
  readonly expect: Expectation;
}

export interface Expectation {
  readonly exit: number;
  /** To the byte. */
  readonly stdout?: string;
  /** The beginning of its SHA-256, for what is too long to be written down. */
  readonly stdout_sha256?: string;
  /** Members that the printed JSON has, whatever else it has. */
  readonly has?: JsonObject;
  /** The kind of the error on stderr. */
  readonly error?: string;
  /** What is reported on stderr as left out; true for something. */
  readonly not_expressed?: readonly string[] | true;
  /** Whether it may be refused instead, with a reason. */
  readonly may_refuse?: boolean;
}

const INVALID = 2;
const UNSUPPORTED = 3;

export function readCases(folder: string): readonly Case[] {
  const read = (...path: readonly string[]): unknown =>
    JSON.parse(readFileSync(join(folder, ...path), "utf8"));
  const adapters = readdirSync(join(folder, "native")).map((name) => name.replace(/\.json$/, ""));
  const results = read("results.json") as Results;
  return [
    ...adapters.toSorted().flatMap((id) => readingCases(id, read("native", `${id}.json`) as NativeInput[])),
    ...adapters
      .toSorted()
      .flatMap((id) => renderingCases(id, read("render", `${id}.json`) as Told[], results)),
    ...unreadableCases(read("unreadable.json") as Unreadable[]),
    ...refusedCases(read("refused.json") as Refused[]),
    ...goldenCases(read("golden.json") as Parameters<typeof goldenCases>[0]),
  ];
}

interface NativeInput {
  readonly hook: string;
  /** The hook, where the input does not tell it. */
  readonly named?: string;
  readonly input: unknown;
  readonly event: string;
  readonly details: JsonObject;
}

function readingCases(id: string, inputs: readonly NativeInput[]): Case[] {
  return inputs.map(({ hook, named, input, event, details }, index) => ({
    id: `${id}/read/${index + 1}-${hook}`,
    args: ["read", "--adapter", id, ...(named === undefined ? [] : ["--hook", named])],
    stdin: input,
    expect: { exit: 0, has: { adapter_id: id, event, hook_event_name: hook, details } },
  }));
}

type Results = Readonly<Record<string, JsonObject>>;

/** What one hook is told for each result; for one that is not there it is told nothing, and that is reported. */
interface Told {
  readonly hook: string;
  readonly event: string;
  readonly says: Readonly<
    Record<string, { readonly body: JsonObject; readonly notExpressed?: readonly string[] }>
  >;
}

function renderingCases(id: string, told: readonly Told[], results: Results): Case[] {
  return told.flatMap(({ hook, event, says }) =>
    Object.entries(results).map(([name, result]) => {
      const { body, notExpressed = [] } = says[name] ?? { body: {}, notExpressed: true as const };
      return {
        id: `${id}/render/${hook}/${event}/${name}`,
        args: ["render", "--adapter", id, "--event", event, "--hook", hook, "--form", "readable"],
        stdin: { result },
        expect: { exit: 0, stdout: sortedJson(body), not_expressed: notExpressed },
      };
    }),
  );
}

interface Unreadable {
  readonly name: string;
  readonly adapter: string;
  readonly hookEventName?: string;
  readonly input: unknown;
  readonly error: string;
}

/** What the harness has no event for. */
const UNTOLD: readonly string[] = ["unknown_event", "no_event"];

function unreadableCases(cases: readonly Unreadable[]): Case[] {
  return cases.map(({ name, adapter, hookEventName, input, error }) => ({
    id: `${adapter}/unreadable/${name}`,
    args: ["read", "--adapter", adapter, ...(hookEventName === undefined ? [] : ["--hook", hookEventName])],
    stdin: input,
    expect: { exit: UNTOLD.includes(error) ? UNSUPPORTED : INVALID, error },
  }));
}

interface Refused extends Pick<Case, "args" | "stdin"> {
  readonly name: string;
  readonly exit: number;
  readonly error: string;
}

function refusedCases(cases: readonly Refused[]): Case[] {
  return cases.map(({ name, args, stdin, exit, error }) => ({
    id: `refused/${name}`,
    args,
    stdin,
    expect: { exit, error },
  }));
}
