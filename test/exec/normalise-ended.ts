import type { Ended, ExecEvent } from "../support/exec-place.ts";

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
const OWN = [/^\d{4}-\d\d-\d\dT[\d:.]+Z +(?:ERROR|WARN)/u, /^reasoning summaries: /u, /^$/u];
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
    events: events.map((event) => withoutSecondId(JSON.parse(clean(JSON.stringify(event))) as ExecEvent)),
    stdout: events.length > 0 ? "" : clean(stdout),
    // The peer tells of a search when it begins and when it has ended.
    stderr: lines.filter((line, at) => !(line.startsWith("web search: ") && line === lines[at - 1])),
  };
}

/** The peer writes the id of a search twice, and the second one is the provider's. */
function withoutSecondId(event: ExecEvent): ExecEvent {
  if (event.item?.type !== "web_search") return event;
  return { ...event, item: { ...event.item, id: "<search>" } };
}
