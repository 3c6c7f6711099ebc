/** The starter of a turn, and its ancestor turns. */
export interface TurnOrigin {
  readonly kind: "user" | "queue" | "goal" | "agent" | "review";
  /** The root turn of the chain, possibly in another thread; null where it is this turn itself. */
  readonly rootTurnId: string | null;
  /** The turn that started this one, possibly in another thread; null where no turn did. */
  readonly parentTurnId: string | null;
}

export const FROM_USER: TurnOrigin = { kind: "user", rootTurnId: null, parentTurnId: null };

/** A turn with its position in the chain of turns. */
export interface OriginatedTurn {
  readonly id: string;
  readonly origin: TurnOrigin;
}

export function rootTurnIdOf({ id, origin }: OriginatedTurn): string {
  return origin.rootTurnId ?? id;
}
