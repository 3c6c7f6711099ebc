/**
 * Golden traces: what Heddle alone does in each scenario, kept as lines of text, one file for each area. A green run
 * against the peer writes them, `npm test` plays the scenarios again, and a change of behaviour is a diff of lines.
 *
 * Most messages are the usual ones. `usual.json` has the most common form of each, and a line says how its message
 * differs from that: `/path=value` where it has another value, `-/path` where it has none.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { at, isObject, pointerOf } from "../support/json.ts";
import type { Transport } from "../support/start-server.ts";
import { arrange } from "./compare.ts";
import { type Entry, entryName, type Recording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

const FOLDER = join("test", "conformance", "golden");
const USUAL_FILE = "usual.json";
export const RENEW = "npm run conformance -- --golden";

/** How often a message must be the same for others to be told by how they differ from it. */
const COMMON = 3;

/** Of a user agent: the system and the processor. */
const SYSTEM = /\([^();]+; \w+\)(?= xterm)/gu;
/** The user's own, which is looked up once: traces have many texts, and the system reads a file for each answer. */
const SHELL = userInfo().shell ?? "/bin/sh";
const NUMBERED = /<(uuid|sha256|request):\d+>/gu;

/** One message or fact of a trace. */
export type TraceEntry = {
  readonly name: string;
  /** What it has in common with others, whatever the scenario calls it. */
  readonly kind: string;
  readonly value: unknown;
};

export type Trace = readonly TraceEntry[];
/** By the title of their scenario. */
export type Traces = ReadonlyMap<string, Trace>;
type Usual = Readonly<Record<string, unknown>>;
/** What is stored: the usual messages, and the lines of each scenario by its title. */
export type Golden = { readonly usual: Usual; readonly lines: ReadonlyMap<string, readonly string[]> };

export function titleOf({ name }: Pick<Scenario, "name">, transport: Transport): string {
  return `${name} (${transport})`;
}

/** Messages whose place is free stand at the end of their connection, as in the comparison. */
export function toTrace(recording: Recording, { freeOrder }: Pick<Scenario, "freeOrder">): Trace {
  const channels = [...new Set(recording.entries.map(({ channel }) => channel))];
  const nameIds = createIdNames();
  const entries = channels.flatMap((channel) =>
    arrange(
      recording.entries.filter((entry) => entry.channel === channel),
      freeOrder,
    ).map((entry) => ({
      name: [entryName(entry), ...itemTypeOf(entry)].join(" "),
      kind: kindOf(entry),
      value: nameIds(withoutName(entry), []),
    })),
  );
  const { stalled } = recording;
  return stalled === undefined ? entries : [...entries, { name: "stalled", kind: "stalled", value: stalled }];
}

function kindOf({ key, value, sent }: Entry): string {
  if (sent?.kind === "response") return `response of ${sent.method ?? "nothing"}`;
  return [key, ...itemTypeOf({ value })].join(" ");
}

/** What a message about an item is about; items of different types have little in common. */
function itemTypeOf({ value }: Pick<Entry, "value">): string[] {
  const type = at(value, ["params", "item", "type"]);
  return typeof type === "string" ? [type] : [];
}

/** The message without the members that the name of the entry already tells. */
function withoutName({ value, sent }: Entry): unknown {
  if (sent === undefined || !isObject(value)) return value;
  const { id, method: _, ...rest } = value;
  return sent.kind === "request" ? { id, ...rest } : rest;
}

/** Names ids after the member in which they are first seen: `<thread:1>`, `<turn:2>`. */
function createIdNames(): (value: unknown, path: readonly string[]) => unknown {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();

  function nameOf(id: string, path: readonly string[]): string {
    const known = names.get(id);
    if (known !== undefined) return known;
    const [last = "id", ...before] = path.filter((key) => !/^\d+$/u.test(key)).reverse();
    const role = last === "id" ? (before[0] ?? last) : last.replace(/Ids?$/u, "");
    const count = (counts.get(role) ?? 0) + 1;
    counts.set(role, count);
    names.set(id, `<${role}:${count}>`);
    return `<${role}:${count}>`;
  }

  return function walk(value, path): unknown {
    if (typeof value === "string") return hideMachine(value).replace(NUMBERED, (id) => nameOf(id, path));
    if (Array.isArray(value)) return value.map((each, index) => walk(each, [...path, String(index)]));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key.replace(NUMBERED, (id) => nameOf(id, path)),
        walk(each, [...path, key]),
      ]),
    );
  };
}

/** What says something about the machine, and which both sides of a comparison have in common. */
function hideMachine(text: string): string {
  return text
    .replace(SYSTEM, "(<system>)")
    .replaceAll(`${SHELL} -`, "<shell> -")
    .replaceAll(`<shell>${basename(SHELL)}</shell>`, "<shell>");
}

export function toLines(trace: Trace, usual: Usual): string[] {
  return trace.map(({ name, kind, value }) => [name, ...describeChange(usual[kind], value)].join(" "));
}

function describeChange(usual: unknown, value: unknown): string[] {
  const parts: string[] = [];
  const visit = (left: unknown, right: unknown, path: readonly string[]): void => {
    if (isDeepStrictEqual(left, right)) return;
    if (right === undefined) parts.push(`-${pointerOf(path)}`);
    else if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
      for (const index of left.keys()) visit(left[index], right[index], [...path, String(index)]);
    } else if (isObject(left) && isObject(right)) {
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
        visit(left[key], right[key], [...path, key]);
    } else parts.push(`${pointerOf(path)}=${JSON.stringify(right)}`);
  };
  visit(usual, value, []);
  return parts;
}

/** The most common value of each kind, where it is common; of equally common ones the first. */
function findUsual(traces: Traces): Usual {
  const kinds = new Map<string, Map<string, { value: unknown; count: number }>>();
  const inOrder = [...traces].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const { kind, value } of inOrder.flatMap(([, trace]) => trace)) {
    const values = kinds.get(kind) ?? new Map();
    kinds.set(kind, values);
    const text = JSON.stringify(value);
    values.set(text, { value, count: (values.get(text)?.count ?? 0) + 1 });
  }
  const usual = [...kinds].map(([kind, values]) => {
    const most = [...values.values()].reduce((a, b) => (b.count > a.count ? b : a));
    return { kind, ...most };
  });
  return sortByKind(
    usual.filter(({ count }) => count >= COMMON).map(({ kind, value }) => [kind, value] as const),
  );
}

function sortByKind(entries: readonly (readonly [string, unknown])[]): Usual {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export async function readGolden(folder = FOLDER): Promise<Golden> {
  const files = await readdir(folder).catch((): string[] => []);
  const lines = new Map<string, string[]>();
  for (const file of files.filter((name) => name !== USUAL_FILE)) {
    for (const section of (await readFile(join(folder, file), "utf8")).split(/^## /mu).slice(1)) {
      const [title = "", ...rest] = section.split("\n");
      lines.set(
        title,
        rest.filter((line) => line !== ""),
      );
    }
  }
  const usual = files.includes(USUAL_FILE)
    ? (JSON.parse(await readFile(join(folder, USUAL_FILE), "utf8")) as Usual)
    : {};
  return { usual, lines };
}

/** The same with these traces in place of the stored ones; of what is usual only new kinds are added, in order. */
export function renewGolden(golden: Golden, traces: Traces): Golden {
  const usual = sortByKind(Object.entries({ ...findUsual(traces), ...golden.usual }));
  const lines = [...traces].map(([title, trace]) => [title, toLines(trace, usual)] as const);
  return { usual, lines: new Map([...golden.lines, ...lines]) };
}

/** Makes the folder hold exactly this. */
export async function writeGolden({ usual, lines }: Golden, folder = FOLDER): Promise<void> {
  const areas = new Map<string, string[]>();
  for (const title of [...lines.keys()].sort()) {
    const area = title.split("/")[0] ?? title;
    const section = [`## ${title}`, ...(lines.get(title) ?? []), ""].join("\n");
    areas.set(area, [...(areas.get(area) ?? []), section]);
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, USUAL_FILE), `${JSON.stringify(usual, null, 2)}\n`);
  for (const [area, sections] of areas) await writeFile(join(folder, `${area}.txt`), sections.join("\n"));
}
