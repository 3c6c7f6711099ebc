/** Creates a schedule: what is said, when, and where. */
import { useState } from "preact/hooks";
import type { MissedRuns, ScheduleTarget, ScheduleTime } from "../../protocol/generated/types.ts";
import { put } from "../state/schedules.ts";
import { client, lackOf } from "../state/server.ts";
import { all as allThreads, titleOf } from "../state/threads.ts";
import { describeCron, fromLocalField, toLocalField } from "../text/describe-schedule.ts";
import { announce } from "../ui/announce.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { ChoiceField, TextField } from "../ui/fields.tsx";

const HOUR_MS = 60 * 60 * 1000;

export function NewSchedule() {
  const [isOpen, open] = useState(false);
  const lack = lackOf("operate");
  return (
    <>
      <button
        class="btn"
        type="button"
        disabled={lack !== null}
        title={lack ?? undefined}
        onClick={() => open(true)}
      >
        New schedule
      </button>
      {isOpen && <ScheduleDialog onClose={() => open(false)} />}
    </>
  );
}

const NEW_THREAD = "";

function ScheduleDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [kind, setKind] = useState<ScheduleTime["type"]>("cron");
  const [expression, setExpression] = useState("0 9 * * 1-5");
  const [timeZone, setTimeZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [at, setAt] = useState(() => toLocalField(Date.now() + HOUR_MS));
  const [threadId, setThreadId] = useState(NEW_THREAD);
  const [cwd, setCwd] = useState(() => allThreads.peek()[0]?.cwd ?? "");
  const [missedRuns, setMissedRuns] = useState<MissedRuns>("once");

  async function create(): Promise<void> {
    const target: ScheduleTarget =
      threadId === NEW_THREAD
        ? { type: "newThread", threadStartParams: cwd === "" ? {} : { cwd } }
        : { type: "thread", threadId };
    const once = fromLocalField(at);
    if (kind === "once" && once === null) throw new Error("The time is not complete.");
    const schedule: ScheduleTime =
      kind === "cron" ? { type: "cron", expression, timeZone } : { type: "once", at: once ?? 0 };
    const current = client.peek();
    if (current === null) throw new Error("There is no connection to the server.");
    const created = await current.request("schedule/create", {
      name: name.trim() === "" ? null : name.trim(),
      schedule,
      target,
      input: [{ type: "text", text }],
      missedRuns,
    });
    put(created.schedule.id, created.schedule);
    announce("The schedule is created");
  }

  return (
    <FormDialog title="New schedule" submit="Create" onSubmit={create} onClose={onClose}>
      <TextField label="Name" value={name} onValue={setName} />
      <TextField label="What is to be done" value={text} onValue={setText} isRequired lines={3} />
      <ChoiceField
        label="When"
        value={kind}
        onValue={(value) => setKind(value === "once" ? "once" : "cron")}
        choices={[
          ["cron", "Again and again"],
          ["once", "Once"],
        ]}
      />
      {kind === "cron" ? (
        <div class="fields2">
          <TextField
            label="Cron line"
            hint={describeCron(expression) ?? "minute, hour, day of month, month, day of week"}
            value={expression}
            onValue={setExpression}
            isRequired
            isCode
          />
          <TextField label="Time zone" value={timeZone} onValue={setTimeZone} isRequired isCode />
        </div>
      ) : (
        <TextField label="Time" type="datetime-local" value={at} onValue={setAt} isRequired />
      )}
      <ChoiceField
        label="Runs in"
        value={threadId}
        onValue={setThreadId}
        choices={[
          [NEW_THREAD, "A new thread for each run"],
          ...allThreads.value.map((row): [string, string] => [row.id, titleOf(row).slice(0, 80)]),
        ]}
      />
      {threadId === NEW_THREAD && (
        <TextField label="Folder on the server" value={cwd} onValue={setCwd} isCode />
      )}
      <ChoiceField
        label="Runs that were missed while no server was there"
        value={missedRuns}
        onValue={(value) => setMissedRuns(value as MissedRuns)}
        choices={[
          ["once", "Run once for all of them"],
          ["skip", "Skip them"],
          ["all", "Run each of them, 24 at most"],
        ]}
      />
    </FormDialog>
  );
}
