/** Commands that are asked about: every decision, what clients see of it, and what the model is told. */
import type { Scenario, Step } from "../scenario.ts";
import { TURN_ANSWERS } from "../turn-steps.ts";
import {
  ANY_ORDER,
  approvalTurn,
  asks,
  asksAboutCommand,
  asksAboutItem,
  DONE,
  decide,
  exec,
  execBoth,
  exists,
  STATUS_BY_CHANCE,
} from "./approvals-steps.ts";

const TOUCH = "touch made";
const WITH_SECRET = "echo 'Authorization: Bearer example_bearer_token_1234567890' > made";
const made = exists("workspace/made", true);
const notMade = exists("workspace/made", false);
const rules: Step = { do: "read", path: "home/rules/default.rules", as: "text" };

const amendment = (...prefix: readonly string[]) => ({
  acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix },
});

export const approvalCommandScenarios: readonly Scenario[] = [
  approvalTurn({
    name: "approvals/secrets",
    about: "Whoever is asked sees the secret of a command; its item hides it.",
    model: [exec(WITH_SECRET), exec(WITH_SECRET, "2"), DONE],
    during: [
      asksAboutCommand,
      decide("accept"),
      asks("commandExecution", "second"),
      decide("decline", "second"),
    ],
    after: [made],
  }),
  approvalTurn({
    name: "approvals/accept",
    about: "An accepted command runs, with no second start of its item.",
    model: [exec(TOUCH), DONE],
    during: [asksAboutCommand, notMade, decide("accept")],
    after: [made],
  }),
  approvalTurn({
    name: "approvals/accept-failing",
    about: "An accepted command that fails is a failed item.",
    model: [exec("touch made; exit 3"), DONE],
    during: [asksAboutCommand, decide("accept")],
    after: [made],
  }),
  approvalTurn({
    name: "approvals/accept-for-session",
    about: "The same command is not asked about again; another one is, and so is the same one elsewhere.",
    files: { "workspace/sub/file": "" },
    model: [
      exec(TOUCH),
      exec(TOUCH, "2"),
      exec("touch other", "3"),
      exec(TOUCH, "4", { workdir: "sub" }),
      DONE,
    ],
    during: [
      asksAboutCommand,
      decide("acceptForSession"),
      asks("commandExecution", "other"),
      decide("accept", "other"),
      asks("commandExecution", "elsewhere"),
      decide("accept", "elsewhere"),
    ],
    after: [made],
  }),
  approvalTurn({
    name: "approvals/accept-with-amendment",
    about: "An allowed prefix becomes a rule on disk, and later commands that begin so run unasked.",
    model: [exec(TOUCH), exec("touch made more", "2"), exec("touch other", "3"), DONE],
    during: [
      asksAboutCommand,
      decide(amendment("touch", "made")),
      asks("commandExecution", "other"),
      decide("accept", "other"),
    ],
    after: [rules, made],
  }),
  approvalTurn({
    name: "approvals/accept-with-own-amendment",
    about: "A client may allow another prefix than the offered one.",
    model: [exec(TOUCH), exec("touch other", "2"), DONE],
    during: [asksAboutCommand, decide(amendment("touch"))],
    after: [rules, exists("workspace/other", true)],
  }),
  approvalTurn({
    name: "approvals/accept-with-empty-amendment",
    about: "A prefix without words allows nothing for later.",
    freeOrder: [[...TURN_ANSWERS.flat(), "warning"]],
    model: [exec(TOUCH), exec("touch other", "2"), DONE],
    during: [
      asksAboutCommand,
      decide(amendment()),
      asks("commandExecution", "other"),
      decide("decline", "other"),
    ],
    after: [exists("home/rules/default.rules", false), made],
  }),
  approvalTurn({
    name: "approvals/decline",
    about: "A declined command does not run; the model is told, and the turn goes on.",
    model: [exec(TOUCH), DONE],
    during: [asksAboutCommand, decide("decline")],
    after: [notMade],
  }),
  approvalTurn({
    name: "approvals/cancel",
    about: "A cancelled command does not run, and the turn ends at once.",
    model: [exec(TOUCH), DONE],
    during: [asksAboutCommand, decide("cancel")],
    after: [notMade],
  }),
  approvalTurn({
    ...STATUS_BY_CHANCE,
    name: "approvals/error-answer",
    about: "A client that answers with an error has not allowed the command.",
    model: [exec(TOUCH), DONE],
    during: [asksAboutCommand, { do: "answer", to: "ask", error: { code: -32000, message: "no" } }],
    after: [notMade],
  }),
  approvalTurn({
    ...STATUS_BY_CHANCE,
    name: "approvals/garbage-answers",
    about: "An answer that makes no sense has not allowed the command.",
    model: [exec(TOUCH), exec(TOUCH, "2"), exec(TOUCH, "3"), exec(TOUCH, "4"), DONE],
    during: [
      asksAboutCommand,
      decide("yes"),
      asks("commandExecution", "second"),
      { do: "answer", to: "second", result: {} },
      asks("commandExecution", "third"),
      { do: "answer", to: "third", result: null },
      asks("commandExecution", "fourth"),
      decide({ acceptWithExecpolicyAmendment: {} }, "fourth"),
    ],
    after: [notMade],
  }),
  approvalTurn({
    name: "approvals/several-calls",
    about:
      "Two commands of one response are asked about one after the other or together, and each gets its own answer.",
    ...ANY_ORDER,
    model: [execBoth(TOUCH, "touch other"), DONE],
    during: [
      asksAboutItem("call_1", "one"),
      asksAboutItem("call_2", "two"),
      decide("decline", "two"),
      decide("accept", "one"),
    ],
    after: [made, exists("workspace/other", false)],
  }),
  approvalTurn({
    name: "approvals/several-parts",
    about: "A command of several parts is asked about as a whole.",
    model: [exec("touch made && touch other"), exec("if true; then touch made; fi", "2"), DONE],
    during: [
      asksAboutCommand,
      decide("accept"),
      asks("commandExecution", "second"),
      decide("decline", "second"),
    ],
    after: [made],
  }),
];
