/** The schedules: when each has run and will run, and what can be done with it. */
import { useEffect } from "preact/hooks";
import type { Schedule } from "../../protocol/generated/types.ts";
import { pathOf } from "../state/router.ts";
import { followSchedules, putSchedule, schedules } from "../state/schedules.ts";
import { now } from "../state/server.ts";
import { inputText } from "../text/describe-queue.ts";
import { describeLastRun, describeScheduleStatus, describeTime } from "../text/describe-schedule.ts";
import { clockTime } from "../text/time.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Card, Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { EditSchedule } from "./schedule-dialog.tsx";
import { ThreadLink } from "./thread-link.tsx";

const COLUMNS = [
  { name: "Schedule" },
  { name: "When" },
  { name: "Runs in" },
  { name: "Missed" },
  { name: "Last run" },
  { name: "Next run" },
  { name: "Actions", isQuiet: true },
];

const MISSED = { skip: "skipped", once: "run once", all: "all run" } as const;

export function Schedules() {
  useEffect(followSchedules, []);
  const found = schedules.data.value;
  return (
    <Card title="Schedules" aside={<span class="small dimmer">times of this browser</span>}>
      <LoadedState loaded={schedules} rows={2} />
      {found?.length === 0 && (
        <p class="in dim">There is no schedule. One queues a turn once, or again and again.</p>
      )}
      {found !== null && found.length > 0 && (
        <Table label="Schedules" columns={COLUMNS}>
          {found.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} />
          ))}
        </Table>
      )}
    </Card>
  );
}

function ScheduleRow({ schedule }: { schedule: Schedule }) {
  const { name, schedule: time, input, missedRuns, nextRunAt, owner } = schedule;
  const { words, line } = describeTime(time, now.value);
  const text = inputText(input);
  return (
    <tr>
      <td data-label="Schedule">
        <bdi>{name ?? "Without a name"}</bdi>
        {owner !== undefined && (
          <span class="sub">
            of <bdi>{owner}</bdi>
          </span>
        )}
        <span class="sub wraps lines3" dir="auto">
          <VisibleText text={text} />
        </span>
      </td>
      <td data-label="When">
        {words}
        {line !== null && (
          <span class="sub mono" dir="ltr">
            {line}
          </span>
        )}
      </td>
      <td data-label="Runs in">
        <Target schedule={schedule} />
      </td>
      <td data-label="Missed">{MISSED[missedRuns]}</td>
      <td data-label="Last run">
        <LastRun schedule={schedule} />
      </td>
      <td data-label="Next run">
        <NextRun schedule={schedule} nextRunAt={nextRunAt} />
      </td>
      <td class="act">
        <ScheduleActions schedule={schedule} />
      </td>
    </tr>
  );
}

function Target({ schedule: { target } }: { schedule: Schedule }) {
  if (target.type === "newThread") {
    const { cwd } = target.threadStartParams;
    return (
      <>
        a new thread
        {typeof cwd === "string" && (
          <span class="sub mono" dir="ltr">
            {cwd}
          </span>
        )}
      </>
    );
  }
  return <ThreadLink threadId={target.threadId} />;
}

function LastRun({ schedule }: { schedule: Schedule }) {
  const { lastRun } = schedule;
  const words = describeLastRun(schedule);
  if (lastRun === null || words === null) return <span class="dimmer">never</span>;
  return (
    <>
      <Chip {...words} />{" "}
      <a href={pathOf("threads", lastRun.threadId)}>{clockTime(lastRun.claimedAt, now.value)}</a>
      {lastRun.status.type === "failed" && <span class="sub fg-bad wraps">{lastRun.status.message}</span>}
    </>
  );
}

function NextRun({ schedule, nextRunAt }: { schedule: Schedule; nextRunAt: number | null }) {
  const words = describeScheduleStatus(schedule);
  const { status } = schedule;
  return (
    <>
      {words !== null && <Chip {...words} />}
      {nextRunAt !== null && clockTime(nextRunAt, now.value)}
      {words === null && nextRunAt === null && <span class="dimmer">never</span>}
      {status.type === "disabled" && <span class="sub fg-bad wraps">{status.reason}</span>}
    </>
  );
}

function ScheduleActions({ schedule }: { schedule: Schedule }) {
  const { id: scheduleId, status, name } = schedule;
  const called = name ?? "The schedule";
  const isActive = status.type === "active";
  return (
    <div>
      <ActButton
        method="schedule/runNow"
        done={`${called}: a turn is queued`}
        act={async (client) => {
          const { run } = await client.request("schedule/runNow", { scheduleId });
          putSchedule(scheduleId, { ...schedule, lastRun: run });
        }}
      >
        Run now
      </ActButton>
      <EditSchedule schedule={schedule} />
      {status.type !== "finished" && (
        <ActButton
          method="schedule/update"
          class="plain"
          done={isActive ? `${called} is paused` : `${called} is active`}
          act={async (client) => {
            const changed = await client.request("schedule/update", { scheduleId, paused: isActive });
            putSchedule(scheduleId, changed.schedule);
          }}
        >
          {isActive ? "Pause" : "Resume"}
        </ActButton>
      )}
      <ActButton
        method="schedule/delete"
        class="plain danger icon"
        label={`Delete the schedule ${name ?? ""}`}
        asks="Delete?"
        done={`${called} is deleted`}
        act={async (client) => {
          await client.request("schedule/delete", { scheduleId });
          putSchedule(scheduleId, null);
        }}
      >
        <Icon name="x" />
      </ActButton>
    </div>
  );
}
