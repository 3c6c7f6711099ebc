/** Rollout files written by hand, for scenarios about threads that no server has made. */

export interface StoredThread {
  readonly id: string;
  /** When it began, to the second. */
  readonly at: string;
  /** One turn for each of these. */
  readonly said: readonly string[];
  readonly mode?: "legacy" | "paginated";
  readonly archived?: true;
  /** More for the first line. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The id of the nth thread. */
export function threadId(number: number): string {
  return `0199aaaa-0000-7000-8000-${String(number).padStart(12, "0")}`;
}

/** The id of a turn of the nth thread. */
export function turnId(thread: number, turn: number): string {
  return `0199bbbb-0000-7000-8000-${String(thread * 100 + turn).padStart(12, "0")}`;
}

/** The files of these threads, as a scenario puts them in place. */
export function storedFiles(...threads: readonly StoredThread[]): Readonly<Record<string, string>> {
  return Object.fromEntries(threads.map((thread) => [pathOf(thread), textOf(thread)]));
}

export function pathOf({ id, at, archived }: StoredThread): string {
  const time = at.slice(0, 19);
  const folder =
    archived === true ? "archived_sessions" : `sessions/${time.slice(0, 10).replaceAll("-", "/")}`;
  return `home/${folder}/rollout-${time.replaceAll(":", "-")}-${id}.jsonl`;
}

function textOf(thread: StoredThread): string {
  const mode = thread.mode ?? "paginated";
  const meta = {
    type: "session_meta",
    payload: {
      session_id: thread.id,
      id: thread.id,
      timestamp: `${thread.at.slice(0, 19)}.000Z`,
      cwd: "{{workspace}}",
      originator: "probe",
      cli_version: "0.166.0",
      source: "vscode",
      model_provider: "mock",
      history_mode: mode,
      ...thread.meta,
    },
  };
  const number = Number(thread.id.slice(-12));
  const turns = thread.said.flatMap((said, at) =>
    mode === "paginated"
      ? paginatedTurn(thread, turnId(number, at + 1), said)
      : legacyTurn(turnId(number, at + 1), said),
  );
  const start = Date.parse(`${thread.at.slice(0, 19)}Z`);
  return [meta, ...turns]
    .map((line, ordinal) => {
      const timestamp = new Date(start + ordinal * 10).toISOString();
      return `${JSON.stringify({ timestamp, ...(mode === "paginated" ? { ordinal } : {}), ...line })}\n`;
    })
    .join("");
}

const event = (payload: object) => ({ type: "event_msg", payload });

function message(role: string, type: string, text: string) {
  return { type: "response_item", payload: { type: "message", role, content: [{ type, text }] } };
}

function paginatedTurn({ id, at }: StoredThread, turn: string, said: string) {
  const second = Date.parse(`${at.slice(0, 19)}Z`) / 1000;
  const times = { started_at_ms: second * 1000, completed_at_ms: second * 1000 + 5 };
  const item = (each: object) =>
    event({ type: "item_completed", thread_id: id, turn_id: turn, item: each, ...times });
  const answer = `You said: ${said}`;
  return [
    event({ type: "task_started", turn_id: turn, started_at: second, model_context_window: 1000 }),
    message("user", "input_text", said),
    item({
      type: "UserMessage",
      id: `${turn}-user`,
      content: [{ type: "text", text: said, text_elements: [] }],
    }),
    item({ type: "AgentMessage", id: `${turn}-agent`, content: [{ type: "Text", text: answer }] }),
    message("assistant", "output_text", answer),
    event({
      type: "task_complete",
      turn_id: turn,
      last_agent_message: answer,
      started_at: second,
      completed_at: second + 1,
      duration_ms: 1000,
    }),
  ];
}

function legacyTurn(turn: string, said: string) {
  const answer = `You said: ${said}`;
  return [
    event({ type: "task_started", turn_id: turn, model_context_window: 1000 }),
    message("user", "input_text", said),
    event({ type: "user_message", message: said, images: [], local_images: [], text_elements: [] }),
    event({ type: "agent_message", message: answer }),
    message("assistant", "output_text", answer),
    event({ type: "task_complete", turn_id: turn, last_agent_message: answer }),
  ];
}
