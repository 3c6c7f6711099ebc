/** Patches that are asked about: every decision, what clients see of it, and what the model is told. */
import { functionCallDone, reply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  apply,
  approvalTurn,
  asks,
  asksAboutFiles,
  DONE,
  decide,
  exists,
  patch,
  STATUS_BY_CHANCE,
  UNTRUSTED,
} from "./approvals-steps.ts";

const thread = { ...UNTRUSTED, model: "gpt-5.5" };
const ON_REQUEST = { approvalPolicy: "on-request", sandbox: "workspace-write", model: "gpt-5.5" };
const ADD = patch("*** Add File: made", "+x");
const update = (from: string, to: string) => patch("*** Update File: made", "@@", `-${from}`, `+${to}`);
const made = exists("workspace/made", true);
const notMade = exists("workspace/made", false);

export const approvalPatchScenarios: readonly Scenario[] = [
  approvalTurn({
    name: "approvals/patch-accept",
    about: "An accepted patch is applied.",
    thread,
    model: [apply(ADD), DONE],
    during: [asksAboutFiles, notMade, decide("accept")],
    after: [made],
  }),
  approvalTurn({
    name: "approvals/patch-accept-for-session",
    about: "Later patches to the same file are not asked about; one to another file is.",
    thread,
    model: [apply(ADD), apply(update("x", "y"), "2"), apply(patch("*** Add File: other", "+x"), "3"), DONE],
    during: [
      asksAboutFiles,
      decide("acceptForSession"),
      asks("fileChange", "other"),
      decide("decline", "other"),
    ],
    after: [{ do: "read", path: "workspace/made", as: "text" }, exists("workspace/other", false)],
  }),
  approvalTurn({
    name: "approvals/patch-decline",
    about: "A declined patch is not applied; the model is told, and the turn goes on.",
    thread,
    model: [apply(ADD), DONE],
    during: [asksAboutFiles, decide("decline")],
    after: [notMade],
  }),
  approvalTurn({
    name: "approvals/patch-cancel",
    about: "A cancelled patch is not applied, and the turn ends at once.",
    thread,
    model: [apply(ADD), DONE],
    during: [asksAboutFiles, decide("cancel")],
    after: [notMade],
  }),
  approvalTurn({
    ...STATUS_BY_CHANCE,
    name: "approvals/patch-error-answer",
    about: "A client that answers with an error has not allowed the patch.",
    thread,
    model: [apply(ADD), DONE],
    during: [asksAboutFiles, { do: "answer", to: "ask", error: { code: -32000, message: "no" } }],
    after: [notMade],
  }),
  approvalTurn({
    ...STATUS_BY_CHANCE,
    name: "approvals/patch-garbage-answers",
    about: "An answer that makes no sense has not allowed the patch.",
    thread,
    model: [apply(ADD), apply(ADD, "2"), DONE],
    during: [
      asksAboutFiles,
      decide("yes"),
      asks("fileChange", "second"),
      { do: "answer", to: "second", result: "accept" },
    ],
    after: [notMade],
  }),
  approvalTurn({
    name: "approvals/patch-inside",
    about: "On request a patch within the writable roots is not asked about.",
    thread: ON_REQUEST,
    model: [apply(ADD), DONE],
    after: [made],
  }),
  approvalTurn({
    name: "approvals/patch-outside",
    about: "On request a patch outside of the writable roots is asked about.",
    thread: ON_REQUEST,
    model: [apply(patch("*** Add File: ../home/made", "+x")), DONE],
    during: [asksAboutFiles, decide("accept")],
    after: [exists("home/made", true)],
  }),
  approvalTurn({
    name: "approvals/patch-outside-declined",
    about: "A patch outside of the writable roots is not applied where the user says no.",
    thread: ON_REQUEST,
    model: [apply(patch("*** Add File: ../home/made", "+x")), DONE],
    during: [asksAboutFiles, decide("decline")],
    after: [exists("home/made", false)],
  }),
  approvalTurn({
    name: "approvals/patch-partly-outside",
    about: "A patch of which one file is outside is asked about as a whole.",
    thread: ON_REQUEST,
    model: [apply(patch("*** Add File: made", "+x", "*** Add File: ../home/made", "+x")), DONE],
    during: [asksAboutFiles, decide("decline")],
    after: [notMade, exists("home/made", false)],
  }),
  approvalTurn({
    name: "approvals/patch-kept-entries",
    about: "A patch to what steers agents is asked about although it is within the roots.",
    thread: ON_REQUEST,
    model: [apply(patch("*** Add File: .agents/made", "+x")), DONE],
    during: [asksAboutFiles, decide("decline")],
    after: [exists("workspace/.agents/made", false)],
  }),
  approvalTurn({
    name: "approvals/patch-through-the-shell",
    about: "A patch in a here-document is asked about as a patch.",
    thread,
    model: [
      reply("1", functionCallDone("call_1", "exec_command", { cmd: `apply_patch <<'EOF'\n${ADD}\nEOF\n` })),
      DONE,
    ],
    during: [asksAboutFiles, decide("decline")],
    after: [notMade],
  }),
];
