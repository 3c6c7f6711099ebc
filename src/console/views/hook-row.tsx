/** A run of a hook at the place where it ran. */
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { HookRun } from "../parts/hook-run.tsx";
import { Line } from "../parts/line.tsx";
import { pathOf } from "../state/router.ts";

export function HookRow({ run }: { run: HookRunSummary }) {
  return (
    <Line icon="hook" tone="fg-hook">
      <HookRun run={run} href={pathOf("hooks")} />
    </Line>
  );
}
