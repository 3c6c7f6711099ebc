/** The steps of a plan: done, now, open. */
import type { TurnPlanStep } from "../../protocol/generated/types.ts";
import { Icon } from "../ui/icon.tsx";
import { Line } from "./line.tsx";

const STEP = {
  completed: { icon: "ok", tone: "fg-ok", style: "done" },
  inProgress: { icon: "play", tone: "fg-run", style: "now" },
  pending: { icon: "target", tone: "dimmer", style: "" },
} as const;

export function PlanSteps({ plan }: { plan: readonly TurnPlanStep[] }) {
  const done = plan.filter(({ status }) => status === "completed").length;
  return (
    <Line icon="list">
      <div class="row small dim">
        <b>Plan</b> {done} of {plan.length}
      </div>
      <ul class="plan">
        {plan.map(({ step, status }, index) => {
          const { icon, tone, style } = STEP[status];
          return (
            <li key={index} class={style}>
              <Icon name={icon} tone={tone} label={status} />
              <span dir="auto">{step}</span>
            </li>
          );
        })}
      </ul>
    </Line>
  );
}
