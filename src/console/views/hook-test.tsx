/** Runs one hook with a made-up event, without a thread. */
import { useState } from "preact/hooks";
import type { HookMetadata, HookTrial } from "../../protocol/generated/types.ts";
import { capital } from "../text/capital.ts";
import { describeRun, eventTitle, exampleInput } from "../text/describe-hook.ts";
import { durationText } from "../text/time.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { TextField } from "../ui/fields.tsx";
import { VisibleText } from "../ui/visible-text.tsx";

export function HookTest({ hook, cwd }: { hook: HookMetadata; cwd: string }) {
  const { key, eventName } = hook;
  const [input, setInput] = useState(() => JSON.stringify(exampleInput(eventName), null, 2));
  const [trial, setTrial] = useState<HookTrial | null>(null);
  return (
    <Card title={`Test with ${eventTitle(eventName)}`}>
      <div class="in stack">
        <TextField
          label="Input"
          hint="Members of the event as JSON; the others get usual values."
          value={input}
          onValue={setInput}
          isCode
          lines={6}
        />
        <div class="row">
          <ActButton
            method="hook/test"
            done="The hook was tested"
            act={async (client) => {
              const params = { eventName, cwd, input: parseInput(input), hookKeys: [key] };
              setTrial((await client.request("hook/test", params)).trial);
            }}
          >
            Run the test
          </ActButton>
        </div>
        {trial !== null && <TrialResult trial={trial} />}
      </div>
    </Card>
  );
}

function parseInput(text: string): { [member: string]: unknown } {
  const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("The input is no JSON object.");
  return { ...value };
}

function TrialResult({ trial: { hooks, runs, notRun, would, isBlocked } }: { trial: HookTrial }) {
  const reasons = [...hooks.filter(({ isRun }) => !isRun), ...notRun].flatMap(({ reason }) => reason ?? []);
  const sentences = [
    ...new Set(reasons.map((reason) => `It does not run: ${reason}`)),
    ...would.map(capital),
  ];
  return (
    <div class="stack tight" role="status">
      <div class="row wrap">
        {isBlocked && <Chip words="blocks" tone="bad" icon="x" />}
        {runs.map(({ key, run, exitCode }) => (
          <span key={key} class="row">
            <Chip {...describeRun(run.status)} />
            <span class="small dim">
              {exitCode !== null && `exit ${exitCode}`}
              {run.durationMs !== null && ` · ${durationText(run.durationMs)}`}
            </span>
          </span>
        ))}
      </div>
      {sentences.map((text) => (
        <p key={text} class="wraps" dir="auto">
          <VisibleText text={text} />
        </p>
      ))}
      {runs.map(({ key, stdout, stderr }) => (
        <Outputs key={key} {...{ stdout, stderr }} />
      ))}
    </div>
  );
}

function Outputs({ stdout, stderr }: { stdout: string | null; stderr: string | null }) {
  return (
    <>
      {(
        [
          ["Output", stdout],
          ["Errors", stderr],
        ] as const
      ).map(
        ([name, text]) =>
          text !== null &&
          text.trim() !== "" && (
            <div key={name} class="box">
              <div class="boxh">{name}</div>
              <pre class="out" dir="ltr" tabIndex={0} role="region" aria-label={name}>
                <VisibleText text={text} />
              </pre>
            </div>
          ),
      )}
    </>
  );
}
