/** Short ways to write the steps that scenarios use most. */
import type { Pattern } from "../support/matches.ts";
import type { CallStep, Headers, HttpStep, RunStep, Step } from "./scenario.ts";

export const STDIO = ["stdio"] as const;
export const WS = ["ws"] as const;
export const STDIO_AND_WS = ["stdio", "ws"] as const;

type CallOptions = Partial<Pick<CallStep, "as" | "on" | "id" | "expect" | "settles">>;

/** A request and its answer. The label defaults to the method. */
export function call(method: string, params?: unknown, options: CallOptions = {}): CallStep {
  return { do: "call", method, ...(params === undefined ? {} : { params }), as: method, ...options };
}

/** A request that must be refused with -32600 and this text. */
export function refused(method: string, params: unknown, message: Pattern, as = method): CallStep {
  return call(method, params, { as, expect: { error: { code: -32600, message, data: { $absent: true } } } });
}

export function initialize(
  capabilities: unknown = { experimentalApi: true },
  options: CallOptions & { readonly name?: string } = {},
): CallStep {
  const { name = "probe", ...rest } = options;
  const params = { clientInfo: { name, title: null, version: "1.0.0" }, capabilities };
  return call("initialize", params, { as: "initialize", settles: true, ...rest });
}

/** A cheap request that is answered after everything before it on the connection was read. */
export function stillServes(as: string, on?: string): CallStep {
  const expect = { result: { data: [], nextCursor: null } };
  return call("thread/loaded/list", {}, { as, expect, ...(on === undefined ? {} : { on }) });
}

export function send(method: string, params: unknown, as: string, on?: string): Step {
  return { do: "send", method, params, as, ...(on === undefined ? {} : { on }) };
}

export function reply(to: string, expect?: Pattern): Step {
  return { do: "reply", to, ...(expect === undefined ? {} : { expect }) };
}

export function raw(text: string, on?: string): Step {
  return { do: "raw", text, ...(on === undefined ? {} : { on }) };
}

export function settle(milliseconds?: number): Step {
  return { do: "settle", ...(milliseconds === undefined ? {} : { milliseconds }) };
}

export function notification(method: string, params?: Pattern): Step {
  return { do: "await", message: { method, ...(params === undefined ? {} : { params }) } };
}

export function get(path: string, status: number, headers: Headers = {}, body?: Pattern): HttpStep {
  return { do: "http", path, headers, expect: { status, ...(body === undefined ? {} : { body }) } };
}

export function upgrade(status: number, headers: Headers = {}, body?: Pattern): HttpStep {
  const expect = { status, ...(body === undefined ? {} : { body }) };
  return { do: "http", path: "/", upgrade: true, headers, expect };
}

/** A start that must end by itself with this exit code, saying this on stderr. */
export function failsToStart(args: readonly string[], code: number, stderr: readonly string[]): RunStep {
  const said = Object.fromEntries(stderr.map((text) => [text, true]));
  return { do: "run", args, stderr, expect: { code, stderr: said } };
}
