/** How Claude Code hooks receive an event: the input members, and their names in that dialect. */

/** All available input members, whether or not a hook receives them. */
export type EventMembers = Readonly<Record<string, unknown>>;

export interface ClaudeEvent {
  /** Whether the event concerns a tool call or its result; absent for neither. */
  readonly tool?: "call" | "result";
  /** Event-specific input members. Claude Code calls a turn a prompt. */
  readonly members: (available: EventMembers, session: EndedSession) => EventMembers;
}

export interface EndedSession {
  /** The last turn of a session that ends; absent where it had none. */
  readonly lastTurnId?: string | undefined;
}

export function withPrompt({ turn_id }: EventMembers): EventMembers {
  return turn_id === undefined ? {} : { prompt_id: turn_id };
}

export function withMode(available: EventMembers): EventMembers {
  return { ...withPrompt(available), permission_mode: available["permission_mode"] };
}

/** For events within a turn, which also carry the reasoning effort. */
export function withTurn(available: EventMembers): EventMembers {
  const { effort } = available;
  return { ...withMode(available), ...(typeof effort === "string" && { effort: { level: effort } }) };
}
