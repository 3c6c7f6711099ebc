/** When a command or a patch is asked about: under each policy, by rules, and on its way out of the sandbox. */
import type { Scenario, Step } from "../scenario.ts";
import { settle } from "../steps.ts";
import {
  apply,
  approvalTurn,
  asks,
  asksAboutCommand,
  asksAboutFiles,
  DELTAS,
  DONE,
  decide,
  escalated,
  exec,
  exists,
  granular,
  OWN_FOLDERS,
  patch,
  SHOWN_BY_CHANCE,
} from "./approvals-steps.ts";

const ACCEPT_UNSEEN: Step = { do: "raw", text: '{"id":0,"result":{"decision":"accept"}}' };
const ON_REQUEST = { approvalPolicy: "on-request", sandbox: "workspace-write" };

export const approvalPolicyScenarios: readonly Scenario[] = [
  approvalTurn({
    name: "approvals/on-request-inside",
    about: "On request a command in its sandbox is not asked about.",
    thread: ON_REQUEST,
    model: [exec("touch made"), DONE],
    after: [exists("workspace/made", true)],
  }),
  approvalTurn({
    name: "approvals/on-request-escalated",
    about: "On request a command that wants out of its sandbox is asked about with the model's own words.",
    thread: ON_REQUEST,
    model: [escalated("touch made"), DONE],
    during: [asksAboutCommand, decide("accept")],
    after: [exists("workspace/made", true)],
  }),
  approvalTurn({
    name: "approvals/on-request-escalated-declined",
    about: "A command that may not leave its sandbox does not run at all.",
    thread: ON_REQUEST,
    model: [escalated("touch made"), DONE],
    during: [asksAboutCommand, decide("decline")],
    after: [exists("workspace/made", false)],
  }),
  approvalTurn({
    name: "approvals/prefix-rule",
    about: "The model may propose what to allow for good, unless that says too little.",
    thread: ON_REQUEST,
    model: [
      escalated("touch made", "1", { prefix_rule: ["touch"] }),
      escalated("touch other", "2", { prefix_rule: ["touch"] }),
      escalated("git init", "3", { prefix_rule: ["git"] }),
      DONE,
    ],
    during: [
      asksAboutCommand,
      decide({ acceptWithExecpolicyAmendment: { execpolicy_amendment: ["touch"] } }),
      asks("commandExecution", "banned"),
      decide("decline", "banned"),
    ],
    after: [{ do: "read", path: "home/rules/default.rules", as: "text" }],
  }),
  approvalTurn({
    name: "approvals/session-does-not-escalate",
    about: "What was allowed in the sandbox for the session is asked about when it wants out.",
    model: [exec("touch made"), escalated("touch made", "2"), escalated("touch made", "3"), DONE],
    during: [
      asksAboutCommand,
      decide("acceptForSession"),
      asks("commandExecution", "out"),
      decide("acceptForSession", "out"),
    ],
  }),
  approvalTurn({
    name: "approvals/never",
    about: "Under never nobody is asked: a command runs in its sandbox, and what wants out is refused.",
    thread: { approvalPolicy: "never", sandbox: "workspace-write" },
    model: [exec("touch made"), escalated("touch made", "2"), exec("rm -f made", "3"), DONE],
    after: [exists("workspace/made", true)],
  }),
  approvalTurn({
    name: "approvals/granular-asks",
    about: "Under a granular policy that lets users decide, what wants out of the sandbox is asked about.",
    thread: { approvalPolicy: granular({}), sandbox: "workspace-write" },
    model: [exec("touch made"), escalated("touch made", "2"), DONE],
    during: [asksAboutCommand, decide("accept")],
  }),
  approvalTurn({
    name: "approvals/granular-refuses",
    about: "Under a granular policy that lets nobody decide, what would be asked about is refused.",
    thread: {
      approvalPolicy: granular({ sandbox_approval: false, rules: false }),
      sandbox: "workspace-write",
    },
    files: { "home/rules/own.rules": 'prefix_rule(pattern=["touch", "ruled"], decision="prompt")\n' },
    model: [escalated("touch made"), exec("touch ruled", "2"), exec("rm -f a", "3"), DONE],
    after: [exists("workspace/made", false), exists("workspace/ruled", false)],
  }),
  approvalTurn({
    name: "approvals/rules",
    about: "Rules allow, ask and forbid whatever the policy says, and give their reasons.",
    thread: ON_REQUEST,
    files: {
      "home/rules/own.rules": [
        'prefix_rule(pattern=["touch", "allowed"])',
        'prefix_rule(pattern=["touch", "asked"], decision="prompt", justification="ask me")',
        'prefix_rule(pattern=["touch", "forbidden"], decision="forbidden", justification="not that one")',
        "",
      ].join("\n"),
    },
    model: [
      exec("touch allowed"),
      exec("touch asked", "2"),
      exec("touch forbidden", "3"),
      exec("touch allowed && touch forbidden", "4"),
      DONE,
    ],
    during: [asksAboutCommand, decide("accept")],
    after: [exists("workspace/asked", true), exists("workspace/forbidden", false)],
  }),
  approvalTurn({
    name: "approvals/danger",
    about: "A forced removal is asked about on request.",
    thread: ON_REQUEST,
    files: { "workspace/file": "" },
    model: [exec("rm -rf file"), DONE],
    during: [asksAboutCommand, decide("decline")],
    after: [exists("workspace/file", true)],
  }),
  approvalTurn({
    name: "approvals/wrapped-danger",
    about: "A forced removal is seen behind the programs that start it.",
    thread: ON_REQUEST,
    files: { "workspace/file": "" },
    model: [exec("echo file | xargs rm -rf"), DONE],
    // Only Heddle asks.
    during: [settle(600), { do: "raw", text: '{"id":0,"result":{"decision":"decline"}}' }],
    after: [{ do: "read", path: "workspace/file", as: "exists" }],
  }),
  approvalTurn({
    name: "approvals/readers-untrusted",
    about: "Commands that only read run unasked under untrusted.",
    files: { "workspace/file": "text\n" },
    model: [exec("cat file"), DONE],
    // Only the peer asks.
    during: [settle(600), ACCEPT_UNSEEN],
  }),
  approvalTurn({
    name: "approvals/readers-asked",
    about: "Commands that only read are asked about where they are not trusted.",
    config: { tables: `${OWN_FOLDERS.tables}[approvals]\ntrusted_commands = false\n` },
    // The peer does not know the key.
    races: [...DELTAS, "warning", "configWarning"],
    files: { "workspace/file": "text\n" },
    model: [exec("cat file"), DONE],
    during: [asksAboutCommand, decide("accept")],
  }),
  approvalTurn({
    name: "approvals/read-only-sandbox",
    about: "A command that writes in a read-only sandbox fails by itself, and the model sees how.",
    thread: { approvalPolicy: "on-request", sandbox: "read-only" },
    races: SHOWN_BY_CHANCE,
    model: [exec("touch made"), DONE],
    after: [exists("workspace/made", false)],
  }),
  approvalTurn({
    name: "approvals/no-network",
    about: "A confined command gets no network, and the model sees how it failed.",
    thread: ON_REQUEST,
    races: SHOWN_BY_CHANCE,
    model: [exec("exec 3<>/dev/tcp/127.0.0.1/9"), DONE],
  }),
  approvalTurn({
    name: "approvals/patch-never",
    about: "Under never a patch outside of the writable roots is refused without an item.",
    thread: { approvalPolicy: "never", sandbox: "workspace-write", model: "gpt-5.5" },
    model: [
      apply(patch("*** Add File: made", "+x")),
      apply(patch("*** Add File: ../home/made", "+x"), "2"),
      DONE,
    ],
    after: [exists("workspace/made", true), exists("home/made", false)],
  }),
  approvalTurn({
    name: "approvals/patch-granular",
    about: "Under a granular policy that lets nobody decide, a patch outside of the roots is refused.",
    thread: { approvalPolicy: granular({ sandbox_approval: false }), sandbox: "read-only", model: "gpt-5.5" },
    model: [apply(patch("*** Add File: made", "+x")), DONE],
    after: [exists("workspace/made", false)],
  }),
  approvalTurn({
    name: "approvals/patch-read-only",
    about: "On request a patch in a read-only sandbox is asked about.",
    thread: { approvalPolicy: "on-request", sandbox: "read-only", model: "gpt-5.5" },
    model: [apply(patch("*** Add File: made", "+x")), DONE],
    during: [asksAboutFiles, decide("accept")],
    after: [exists("workspace/made", true)],
  }),
];
