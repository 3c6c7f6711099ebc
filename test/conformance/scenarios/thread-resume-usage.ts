/** The tokens that a thread has used before it comes back, and turns of it that broke off. */
import type { Scenario } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { turnScenario } from "../turn-steps.ts";
import { threadId } from "./thread-list-files.ts";
import {
  BARE,
  continued,
  EMPTY,
  event,
  FOREIGN,
  ID,
  LEGACY,
  PAGINATED,
  RESUME_CURSORS,
  resume,
  said,
  started,
  used,
} from "./thread-resume-steps.ts";

const turns = (as: string) =>
  call("thread/turns/list", { threadId: ID, limit: 1, itemsView: "notLoaded" }, { as });

export const threadResumeUsageScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-resume/usage",
    about: "The tokens that a thread has used are told with it, and go with the turn that used them.",
    files: continued(FOREIGN, ...said("one"), used(150)),
    volatile: RESUME_CURSORS,
    steps: [initialize(), resume(ID), resume(ID, BARE, { as: "resume again" })],
  }),
  turnScenario({
    name: "thread-resume/usage-without-turns",
    about: "The tokens are told without the turns too, when a thread of the new form is loaded for it.",
    files: {
      ...continued(PAGINATED, started("turn-of-the-usage"), used(150)),
      ...continued(LEGACY, started("turn-of-the-usage"), used(150)),
    },
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume(ID, BARE),
      turns("turns"),
      resume(ID, BARE, { as: "resume again" }),
      resume(threadId(2), BARE, { as: "legacy" }),
    ],
  }),
  turnScenario({
    name: "thread-resume/usage-of-no-turn",
    about: "Tokens of a turn that has no beginning are not put down to the turn after it.",
    files: continued(EMPTY, ...said("one"), used(150), started("turn-after-the-usage")),
    volatile: RESUME_CURSORS,
    steps: [initialize(), resume(ID, BARE), turns("turns")],
  }),
  turnScenario({
    name: "thread-resume/usage-before-the-last-turn",
    about: "Tokens are not put down to a turn that broke off before it used any.",
    files: continued(
      FOREIGN,
      ...said("one"),
      used(150),
      started("broken-off"),
      event("agent_message", { message: "Still running" }),
    ),
    volatile: RESUME_CURSORS,
    steps: [initialize(), resume(ID)],
  }),
  turnScenario({
    name: "thread-resume/usage-before-an-old-turn",
    about: "In a file without turns, too, tokens belong to the message that they were used for.",
    files: continued(FOREIGN, ...said("one"), used(150), ...said("two")),
    volatile: RESUME_CURSORS,
    steps: [initialize(), resume(ID)],
  }),
  turnScenario({
    name: "thread-resume/usage-of-an-interrupted-turn",
    about: "A turn that was interrupted keeps the tokens that it used.",
    files: continued(
      FOREIGN,
      ...said("one"),
      used(150),
      started("interrupted"),
      event("agent_message", { message: "Interrupted after usage" }),
      used(230),
      event("turn_aborted", { turn_id: "interrupted", reason: "interrupted" }),
    ),
    volatile: RESUME_CURSORS,
    steps: [initialize(), resume(ID)],
  }),
  turnScenario({
    name: "thread-resume/broken-off",
    about: "A turn that broke off is shown as interrupted, however the thread is read.",
    files: continued(
      FOREIGN,
      ...said("one"),
      started("broken-off"),
      event("agent_message", { message: "Still running" }),
    ),
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume(ID),
      resume(ID, {}, { as: "resume again" }),
      call("thread/read", { threadId: ID, includeTurns: true }, { as: "read" }),
    ],
  }),
];
