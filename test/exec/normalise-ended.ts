import type { Ended, ExecEvent } from "../support/exec-harness.ts";

/** What came of a call, without what differs from call to call and from program to program. */
export interface NormalEnded {
  readonly code: number | null;
  readonly signal: string | null;
  readonly events: readonly ExecEvent[];
  readonly stdout: string;
  readonly stderr: readonly string[];
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gu;

/** Lines of the peer's log, which Heddle words in its own way, and lines that only one of them prints for people. */
const OWN = [
  /^\d{4}-\d\d-\d\dT[\d:.]+Z +(?:ERROR|WARN)/u,
  /^reasoning summaries: /u,
  /^$/u,
  / is in no Git repository, so that /u,
];
/** The peer repeats it for each model that is asked, Heddle says it once in a thread. */
const METADATA = /Model metadata for `[^`]*` not found/u;
/** What each calls itself. */
const NAMES = [/^(?:OpenAI Codex v|heddle )\d[\d.]*$/u, /^(?:codex|heddle)$/u];

export function normaliseEnded(
  { code, signal, stdout, stderr, events }: Ended,
  known: Readonly<Record<string, string>>,
): NormalEnded {
  const clean = (text: string) =>
    Object.entries(known)
      .reduce((all, [found, name]) => all.replaceAll(found, name), text)
      .replaceAll(UUID, "<id>")
      .replaceAll(/ in \d+ms/gu, " in <time>");
  const lines = clean(stderr)
    .split("\n")
    .filter((line) => !OWN.some((pattern) => pattern.test(line)))
    .map((line) => (NAMES.some((pattern) => pattern.test(line)) ? "<name>" : line));
  return {
    code,
    signal,
    events: withoutRepeated(
      events.map((event) => withoutSecondId(JSON.parse(clean(JSON.stringify(event))) as ExecEvent)),
    ),
    stdout: events.length > 0 ? "" : clean(stdout),
    stderr: lines.filter((line, at) => !isRepeated(line, at, lines)),
  };
}

/** The peer writes the id of a search twice, and the second one is the provider's. */
function withoutSecondId(event: ExecEvent): ExecEvent {
  if (event.item?.type !== "web_search") return event;
  return { ...event, item: { ...event.item, id: "<search>" } };
}

/** The peer tells of a search when it begins and when it has ended. */
function isRepeated(line: string, at: number, lines: readonly string[]): boolean {
  if (line.startsWith("web search: ")) return line === lines[at - 1];
  return METADATA.test(line) && lines.indexOf(line) < at;
}

/** With the numbers that items have without what is repeated. */
function withoutRepeated(events: readonly ExecEvent[]): ExecEvent[] {
  const seen = new Set<string>();
  const kept = events.filter((event) => {
    const message = event.item?.type === "error" ? String(event.item["message"]) : "";
    const isAgain = METADATA.test(message) && seen.has(message);
    seen.add(message);
    return !isAgain;
  });
  const numbers = new Map<string, string>();
  return kept.map((event) => {
    const id = event.item?.id;
    if (id === undefined || !/^item_\d+$/u.test(id)) return event;
    if (!numbers.has(id)) numbers.set(id, `item_${numbers.size}`);
    return { ...event, item: { ...event.item, id: numbers.get(id) ?? id } } as ExecEvent;
  });
}
