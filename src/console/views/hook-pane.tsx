/** One hook: what it runs, whether it may, what it did, and a test of it. */
import { useMemo } from "preact/hooks";
import type { HookMetadata, HookRunEntry, HookRunStats } from "../../protocol/generated/types.ts";
import { latestRuns, switchHook, trustHook } from "../state/hooks.ts";
import { createLoaded, useLoaded } from "../state/loaded.ts";
import { pathOf } from "../state/router.ts";
import { now } from "../state/server.ts";
import { findThreadRow, titleOfThread } from "../state/threads.ts";
import { describeRun, describeTrust, eventTitle, nameOf, needsLook } from "../text/describe-hook.ts";
import { clockTime, durationText } from "../text/time.ts";
import { ActButton, ActFailure } from "../ui/act-button.tsx";
import { Card, Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/states.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { type Scripted, Scripts, useScripts } from "./hook-scripts.tsx";
import { HookTest } from "./hook-test.tsx";
import { pathOfItem } from "./item-link.tsx";

export interface HookPaneProps {
  readonly hook: HookMetadata;
  readonly cwd: string;
  readonly stats: HookRunStats | undefined;
  readonly onChanged: () => Promise<void>;
}

export function HookPane({ hook, cwd, stats, onChanged }: HookPaneProps) {
  const scripts = useScripts(hook, cwd);
  return (
    <>
      <div class="head">
        <a
          class="btn plain icon back"
          href={pathOf("hooks") + location.search}
          aria-label="Back to the hooks"
        >
          <Icon name="left" />
        </a>
        <h2 class="clip">
          <bdi>{nameOf(hook)}</bdi>
        </h2>
        <Chip {...describeTrust(hook)} />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Hook">
        <div class="pad stack">
          <ActFailure />
          {needsLook(hook) && (
            <div class="note warn">
              <Icon name="warn" />
              <span>
                {hook.trustStatus === "modified"
                  ? "It was changed since it was trusted, and does not run until it is trusted again."
                  : "It does not run until it is trusted. Read first what it runs."}
              </span>
            </div>
          )}
          <Facts {...{ hook, stats }} />
          <Scripts hook={hook} files={scripts.files} />
          {hook.isManaged ? (
            <p class="small dim">The administrator has set this hook: it cannot be switched off here.</p>
          ) : (
            <Actions {...{ hook, scripts, onChanged }} />
          )}
          <HookTest hook={hook} cwd={cwd} />
          <LatestRuns hook={hook} />
        </div>
      </div>
    </>
  );
}

function Facts({ hook, stats }: Pick<HookPaneProps, "hook" | "stats">) {
  const { eventName, matcher, timeoutSec, sourcePath, currentHash, source } = hook;
  return (
    <dl class="kv">
      <dt>At</dt>
      <dd>
        {eventTitle(eventName)}
        {matcher !== null && (
          <>
            {" of "}
            <code dir="ltr">
              <VisibleText text={matcher} />
            </code>
          </>
        )}
      </dd>
      <dt>Set in</dt>
      <dd>
        <code class="wraps" dir="ltr">
          {sourcePath}
        </code>{" "}
        <span class="dimmer">({source})</span>
      </dd>
      <dt>Time limit</dt>
      <dd>{durationText(timeoutSec * 1000)}</dd>
      <dt>Digest</dt>
      <dd>
        <code class="wraps" dir="ltr">
          {currentHash}
        </code>
      </dd>
      {stats !== undefined && (
        <>
          <dt>Runs</dt>
          <dd>
            {stats.runs}, {stats.blocked} blocked, {stats.failed} failed
            {stats.p50Ms !== null && `; usually ${durationText(stats.p50Ms)}`}
            {stats.p95Ms !== null && `, p95 ${durationText(stats.p95Ms)}`}
          </dd>
        </>
      )}
    </dl>
  );
}

function Actions({
  hook,
  scripts,
  onChanged,
}: Pick<HookPaneProps, "hook" | "onChanged"> & { scripts: Scripted }) {
  return (
    <div class="row wrap">
      {needsLook(hook) && (
        <ActButton
          method="config/batchWrite"
          class="primary"
          done="The hook is trusted"
          asks="Yes, trust what is shown"
          isDisabled={scripts.files === null}
          act={async (current) => {
            await scripts.assertUnchanged(current);
            await trustHook(current, hook);
            await onChanged();
          }}
        >
          Trust this version
        </ActButton>
      )}
      <ActButton
        method="config/batchWrite"
        class={hook.enabled ? "plain danger" : ""}
        done={hook.enabled ? "The hook is switched off" : "The hook is switched on"}
        act={(current) => switchHook(current, hook, !hook.enabled).then(onChanged)}
      >
        {hook.enabled ? "Switch off" : "Switch on"}
      </ActButton>
    </div>
  );
}

const RUN_COLUMNS = [
  { name: "When" },
  { name: "Thread" },
  { name: "Outcome" },
  { name: "Took", isNumber: true },
];

function LatestRuns({ hook }: Pick<HookPaneProps, "hook">) {
  const loaded = useMemo(() => createLoaded((current) => latestRuns(current, hook)), [hook.key]);
  useLoaded(loaded, [loaded]);
  const runs = loaded.data.value;
  if (loaded.failure.value !== null) return <Failure message={loaded.failure.value} />;
  return (
    <Card title="Latest runs">
      {runs?.length === 0 && <p class="in dim">It has not run yet.</p>}
      {runs !== null && runs.length > 0 && (
        <Table label="Latest runs" columns={RUN_COLUMNS}>
          {runs.map((entry) => (
            <RunLine key={entry.run.runId} entry={entry} />
          ))}
        </Table>
      )}
    </Card>
  );
}

function RunLine({ entry: { threadId, run } }: { entry: HookRunEntry }) {
  const row = findThreadRow(threadId);
  return (
    <tr>
      <td data-label="When" class="nw">
        {clockTime(run.startedAt, now.value)}
      </td>
      <td data-label="Thread">
        <a href={pathOfItem(threadId, run.runId)}>
          <bdi class="lines3">{row === undefined ? "a thread" : titleOfThread(row)}</bdi>
        </a>
      </td>
      <td data-label="Outcome">
        <Chip {...describeRun(run.status)} />
        {run.entries.map(({ text }, index) => (
          <span key={index} class="sub wraps lines3" dir="auto">
            {text}
          </span>
        ))}
      </td>
      <td data-label="Took" class="num">
        {run.durationMs === null ? "–" : durationText(run.durationMs)}
      </td>
    </tr>
  );
}
