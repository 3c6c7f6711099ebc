/** Creates or changes a schedule: what is said, when, and where. */
import { useState } from "preact/hooks";
import type { MissedRuns, Schedule } from "../../protocol/generated/types.ts";
import { formOf, NEW_THREAD, type ScheduleForm, saveSchedule } from "../state/schedules.ts";
import { allThreads, titleOfThread } from "../state/threads.ts";
import { describeCron, toLocalField } from "../text/describe-schedule.ts";
import { announce } from "../ui/announce.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import { ChoiceField, TextField } from "../ui/fields.tsx";

const HOUR_MS = 60 * 60 * 1000;

export function NewSchedule() {
  return (
    <DialogButton name="New schedule" method="schedule/create">
      {(close) => <ScheduleDialog schedule={null} onClose={close} />}
    </DialogButton>
  );
}

export function EditSchedule({ schedule }: { schedule: Schedule }) {
  return (
    <DialogButton name="Edit" about={schedule.name} method="schedule/update">
      {(close) => <ScheduleDialog schedule={schedule} onClose={close} />}
    </DialogButton>
  );
}

function emptyForm(): ScheduleForm {
  return {
    name: "",
    text: "",
    kind: "cron",
    expression: "0 9 * * 1-5",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    at: toLocalField(Date.now() + HOUR_MS),
    threadId: NEW_THREAD,
    cwd: allThreads.peek()[0]?.cwd ?? "",
    missedRuns: "once",
  };
}

function ScheduleDialog({ schedule, onClose }: { schedule: Schedule | null; onClose: () => void }) {
  const [form, setForm] = useState(() => (schedule === null ? emptyForm() : formOf(schedule, emptyForm())));
  const set = (members: Partial<ScheduleForm>) => setForm((known) => ({ ...known, ...members }));
  const { name, text, kind, threadId, cwd, missedRuns } = form;
  return (
    <FormDialog
      title={schedule === null ? "New schedule" : "Edit the schedule"}
      submit={schedule === null ? "Create" : "Save"}
      onSubmit={() =>
        saveSchedule(form, schedule).then(() =>
          announce(schedule === null ? "The schedule is created" : "The schedule is changed"),
        )
      }
      onClose={onClose}
    >
      <TextField label="Name" value={name} onValue={(name) => set({ name })} />
      <TextField label="Message" value={text} onValue={(text) => set({ text })} isRequired lines={3} />
      <ChoiceField
        label="When"
        value={kind}
        onValue={(value) => set({ kind: value === "once" ? "once" : "cron" })}
        choices={[
          ["cron", "Again and again"],
          ["once", "Once"],
        ]}
      />
      <TimeFields form={form} set={set} />
      <ChoiceField
        label="Runs in"
        value={threadId}
        onValue={(threadId) => set({ threadId })}
        choices={[
          [NEW_THREAD, "A new thread for each run"],
          ...allThreads.value.map((row): [string, string] => [row.id, titleOfThread(row).slice(0, 80)]),
        ]}
      />
      {threadId === NEW_THREAD && (
        <TextField label="Folder on the server" value={cwd} onValue={(cwd) => set({ cwd })} isCode />
      )}
      <ChoiceField
        label="Runs that were missed while no server was there"
        value={missedRuns}
        onValue={(value) => set({ missedRuns: value as MissedRuns })}
        choices={[
          ["once", "Run once for all of them"],
          ["skip", "Skip them"],
          ["all", "Run each of them, 24 at most"],
        ]}
      />
    </FormDialog>
  );
}

function TimeFields({ form, set }: { form: ScheduleForm; set: (members: Partial<ScheduleForm>) => void }) {
  const { kind, expression, timeZone, at } = form;
  if (kind === "once")
    return (
      <TextField
        label="Time"
        type="datetime-local"
        value={at}
        onValue={(value) => set({ at: value })}
        isRequired
      />
    );
  return (
    <div class="fields2">
      <TextField
        label="Cron line"
        hint={describeCron(expression) ?? "minute, hour, day of month, month, day of week"}
        value={expression}
        onValue={(value) => set({ expression: value })}
        isRequired
        isCode
      />
      <TextField
        label="Time zone"
        value={timeZone}
        onValue={(value) => set({ timeZone: value })}
        isRequired
        isCode
      />
    </div>
  );
}
