/** What the original renders, recorded, as cases for any implementation; `notes` of the file says how it is written. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { Case, Expectation } from "./fixture-cases.ts";

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

/** Without those about who the adapter says it is, which no command line says. */
export function goldenCases(golden: Golden): readonly Case[] {
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
  // The real Codex takes nothing else there, and the seed says so, too.
  if (differs || stdout_sha256 === undefined) return { exit: 0, stdout: "{}" };
  return { exit: 0, stdout_sha256 };
}

/** Long texts are written as parts that repeat. */
function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  const { $concat: parts, repeat, times } = value;
  if (Array.isArray(parts)) return parts.map((part) => String(expand(part))).join("");
  if (typeof repeat === "string") return repeat.repeat(Number(times));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member)]));
}
