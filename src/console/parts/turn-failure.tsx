/** Why a turn failed. */
import type { Turn } from "../../protocol/generated/types.ts";
import { Line } from "./line.tsx";

export function TurnFailure({ turn: { error, status } }: { turn: Pick<Turn, "error" | "status"> }) {
  if (error === null) return null;
  return (
    <Line icon="x" tone="fg-bad">
      <div class="note bad" role="note">
        <span class="grow wraps">
          <b>{status === "failed" ? "The turn has failed" : "An error"}</b>: {error.message}
          {error.additionalDetails !== null && <span class="dim"> {error.additionalDetails}</span>}
        </span>
      </div>
    </Line>
  );
}
