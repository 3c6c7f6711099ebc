/** One hook: what it runs, whether it may, what it did, and a test of it. */
import { useMemo } from "preact/hooks";
import type { HookMetadata, HookRunStats } from "../../protocol/generated/types.ts";
import { createChanges } from "../state/changes.ts";
import { MAX_TEXT } from "../state/decisions.ts";
import { switchHook, trustHook, untrustHook } from "../state/hooks.ts";
import { useLoaded } from "../state/loaded.ts";
import { pathOf } from "../state/router.ts";
import { now } from "../state/server.ts";
import { describeChange, personOf } from "../text/describe-change.ts";
import { describeTrust, eventTitle, nameOf, needsLook } from "../text/describe-hook.ts";
import { clockTime, durationText } from "../text/time.ts";
import { ActButton, ActFailure } from "../ui/act-button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { Note } from "../ui/note.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { HookRuns } from "./hook-runs.tsx";
import { type Scripted, Scripts, useScripts } from "./hook-scripts.tsx";
import { HookTest } from "./hook-test.tsx";

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
            <Note tone="warn">
              {hook.trustStatus === "modified"
                ? "It was changed since it was trusted, and does not run until it is trusted again."
                : "It does not run until it is trusted. Read first what it runs."}
            </Note>
          )}
          <Facts {...{ hook, stats }} />
          <Scripts hook={hook} files={scripts.files} />
          {hook.isManaged ? (
            <p class="small dim">The administrator has set this hook: it cannot be switched off here.</p>
          ) : (
            <Actions {...{ hook, scripts, onChanged }} />
          )}
          <HookTest hook={hook} cwd={cwd} />
          <HookRuns hook={hook} />
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
      <LastChange hook={hook} />
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

/** Who has trusted or switched it last, where that is recorded. */
function LastChange({ hook: { key, trustStatus, enabled } }: Pick<HookPaneProps, "hook">) {
  const changes = useMemo(() => createChanges({ text: key.slice(-MAX_TEXT) }), [key, trustStatus, enabled]);
  useLoaded(changes, [changes]);
  const [last] = changes.data.value ?? [];
  if (last === undefined) return null;
  return (
    <>
      <dt>Last change</dt>
      <dd>
        <bdi>{personOf(last)}</bdi> {describeChange(last)}, {clockTime(last.at, now.value)}
      </dd>
    </>
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
      {hook.trustStatus === "trusted" && (
        <ActButton
          method="config/batchWrite"
          class="danger"
          done="The hook is not trusted any more"
          asks="Really? It will not run"
          act={(current) => untrustHook(current, hook).then(onChanged)}
        >
          Take trust back
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
