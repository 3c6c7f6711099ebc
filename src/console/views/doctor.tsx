/** What the doctorResult has found, the problems first. */
import type { DoctorFinding } from "../../protocol/generated/types.ts";
import { doctorResult } from "../state/server-status.ts";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

const LOOKS: Readonly<
  Record<DoctorFinding["verdict"], readonly [icon: IconName, tone: string, word: string]>
> = {
  problem: ["x", "fg-bad", "problem"],
  advice: ["warn", "fg-warn", "advice"],
  ok: ["ok", "fg-ok", "fine"],
};
const ORDER = Object.keys(LOOKS);

export function Doctor() {
  const found = doctorResult.value;
  if (found === null) return null;
  const { findings, isComplete } = found;
  const count = findings.filter(({ verdict }) => verdict !== "ok").length;
  const sorted = findings.toSorted((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict));
  return (
    <Card
      title="Doctor"
      aside={
        <>
          <span class="grow" />
          {count === 0 ? (
            <Chip words="nothing to look at" tone="ok" icon="ok" />
          ) : (
            <Chip words={`${count} to look at`} tone="warn" icon="warn" />
          )}
        </>
      }
    >
      <div class="in">
        <ul class="checks">
          {sorted.map(({ subject, verdict, message, advice }) => {
            const [icon, tone, word] = LOOKS[verdict];
            return (
              <li key={subject + message}>
                <Icon name={icon} tone={tone} label={word} />
                <div class="wraps">
                  <div>
                    <b>{subject}</b>: {message}
                  </div>
                  {advice !== null && <div class="small dim">{advice}</div>}
                </div>
              </li>
            );
          })}
        </ul>
        {!isComplete && <p class="small dim">Its time was over before it had looked at everything.</p>}
      </div>
    </Card>
  );
}
