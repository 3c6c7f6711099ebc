/** Converts the fixtures of the lifecycle layer to test cases for any program with the same interface. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../base/json-object.ts";
import { type JsonObject, sortedJson } from "../../lifecycle/index.ts";

export interface Case {
  readonly id: string;
  readonly args: readonly string[];
  readonly stdin: unknown;
  readonly expect: Expectation;
}

export interface Expectation {
  readonly exit: number;
  /** The exact output. */
  readonly stdout?: string;
  /** A prefix of the SHA-256, for long outputs. */
  readonly stdout_sha256?: string;
  /** Members that the printed JSON must contain; others are allowed. */
  readonly has?: JsonObject;
  /** The kind of the error on stderr. */
  readonly error?: string;
  /** The parts that stderr reports as not expressed; true for any. */
  readonly not_expressed?: readonly string[] | true;
  /** Whether the program may instead refuse the input with an error. */
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
      .flatMap((id) => renderingCases(id, read("render", `${id}.json`) as RenderFixture[], results)),
    ...unreadableCases(read("unreadable.json") as Unreadable[]),
    ...refusedCases(read("refused.json") as Refused[]),
    ...goldenCases(read("golden.json") as Golden),
  ];
}

interface NativeInput {
  readonly hook: string;
  /** The hook, where the input does not name it. */
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

/** The expected output of one hook by result. A result without an entry must yield no output and be reported. */
interface RenderFixture {
  readonly hook: string;
  readonly event: string;
  readonly says: Readonly<
    Record<string, { readonly body: JsonObject; readonly notExpressed?: readonly string[] }>
  >;
}

function renderingCases(id: string, fixtures: readonly RenderFixture[], results: Results): Case[] {
  return fixtures.flatMap(({ hook, event, says }) =>
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

/** Errors for inputs that are read as no event. */
const NO_EVENT_ERRORS: readonly string[] = ["unknown_event", "no_event"];

function unreadableCases(cases: readonly Unreadable[]): Case[] {
  return cases.map(({ name, adapter, hookEventName, input, error }) => ({
    id: `${adapter}/unreadable/${name}`,
    args: ["read", "--adapter", adapter, ...(hookEventName === undefined ? [] : ["--hook", hookEventName])],
    stdin: input,
    expect: { exit: NO_EVENT_ERRORS.includes(error) ? UNSUPPORTED : INVALID, error },
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

interface Golden {
  readonly render: readonly {
    readonly id: string;
    readonly adapter: string;
    readonly event: string;
    readonly lenient?: boolean;
    readonly seed_differs?: boolean;
    readonly input: { readonly payloads: string; readonly directive: unknown; readonly adapter_id?: string };
    readonly expected: { readonly error?: string; readonly stdout_sha256?: string };
  }[];
  readonly directives: Readonly<Record<string, unknown>>;
  readonly payload_sets: Readonly<Record<string, readonly { readonly envelope: JsonObject }[]>>;
}

/**
 * Converts the recorded output of the original to cases; `notes` in the file describes the format. Cases about a
 * mismatched adapter id are skipped, because the command line has no such option.
 */
function goldenCases(golden: Golden): readonly Case[] {
  return golden.render
    .filter(({ input }) => input.adapter_id === undefined)
    .map(({ id, adapter, event, input, expected, lenient, seed_differs: differs }) => ({
      id: `golden/${id}`,
      args: ["render", "--adapter", adapter, "--event", event],
      stdin: {
        payloads: (golden.payload_sets[input.payloads] ?? []).map(({ envelope }) => expand(envelope)),
        directive: typeof input.directive === "string" ? golden.directives[input.directive] : input.directive,
      },
      expect: { ...expectation(expected, differs === true), ...(lenient === true && { may_refuse: true }) },
    }));
}

function expectation(expected: Golden["render"][number]["expected"], differs: boolean): Expectation {
  const { error, stdout_sha256 } = expected;
  if (error !== undefined) return { exit: error.startsWith("unsupported_") ? 3 : 2, error };
  // The real Codex accepts nothing else here, and the seed agrees with it.
  if (differs || stdout_sha256 === undefined) return { exit: 0, stdout: "{}" };
  return { exit: 0, stdout_sha256 };
}

/** Expands long texts, which the file stores as repeated parts. */
function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  const { $concat: parts, repeat, times } = value;
  if (Array.isArray(parts)) return parts.map((part) => String(expand(part))).join("");
  if (typeof repeat === "string") return repeat.repeat(Number(times));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member)]));
}
