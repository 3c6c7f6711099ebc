/** How hooks of Claude Code are told of an event: what they are told of a tool, and under which names. */

/** Everything that is known at an event, whether or not a hook is told it. */
export type KnownMembers = Readonly<Record<string, unknown>>;

export interface ClaudeEvent {
  /** Whether it is about a call of a tool, or about what came of one; absent where it is about none. */
  readonly tool?: "call" | "result";
  /** Members that not every event has. A turn is a prompt there. */
  readonly members: (known: KnownMembers, session: EndedSession) => KnownMembers;
}

export interface EndedSession {
  /** The last turn of a session that ends; absent where it had none. */
  readonly lastTurnId?: string | undefined;
}

export function withPrompt({ turn_id }: KnownMembers): KnownMembers {
  return turn_id === undefined ? {} : { prompt_id: turn_id };
}

export function withMode(known: KnownMembers): KnownMembers {
  return { ...withPrompt(known), permission_mode: known["permission_mode"] };
}

/** For events within the work on a prompt, which are told how it is worked on. */
export function atWork(known: KnownMembers): KnownMembers {
  const { effort } = known;
  return { ...withMode(known), ...(typeof effort === "string" && { effort: { level: effort } }) };
}
