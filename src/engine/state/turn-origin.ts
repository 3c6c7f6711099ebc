/** Who started a turn, and the turns that it follows from. */
export interface TurnOrigin {
  readonly kind: "user" | "queue" | "goal" | "agent" | "review";
  /** The first turn of the work that this one belongs to, also in another thread; null where it is this turn itself. */
  readonly rootTurnId: string | null;
  /** The turn that started it, also in another thread; null where no turn did. */
  readonly parentTurnId: string | null;
}

export const FROM_USER: TurnOrigin = { kind: "user", rootTurnId: null, parentTurnId: null };

/** A turn, as far as its place among others is concerned. */
export interface OriginatedTurn {
  readonly id: string;
  readonly origin: TurnOrigin;
}

export function rootTurnIdOf({ id, origin }: OriginatedTurn): string {
  return origin.rootTurnId ?? id;
}
