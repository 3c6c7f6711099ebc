/** Further permissions that the model asks for: what is asked, what may be granted, and how long it holds. */
import { functionCallDone, reply } from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario, Step } from "../scenario.ts";
import { approvalTurn, DONE, exec, exists, OWN_FOLDERS } from "./approvals-steps.ts";

const FEATURE = {
  root: "suppress_unstable_features_warning = true\n",
  tables: `${OWN_FOLDERS.tables}[features]\nrequest_permissions_tool = true\n`,
};
const ASKING = { approvalPolicy: "on-request", sandbox: "workspace-write" };

const wants = (permissions: unknown, id = "1", reason: string | null = "Elsewhere"): ModelReply =>
  reply(
    id,
    functionCallDone(`call_${id}`, "request_permissions", {
      permissions,
      ...(reason === null ? {} : { reason }),
    }),
  );

const asks: Step = { do: "await", message: { method: "item/permissions/requestApproval" }, as: "ask" };
const grant = (result: unknown): Step => ({ do: "answer", to: "ask", result });

export const approvalPermissionScenarios: readonly Scenario[] = [
  approvalTurn({
    name: "permissions/granted",
    about: "A folder that is granted for the turn can be written to by its commands.",
    config: FEATURE,
    thread: ASKING,
    files: { "other/file": "" },
    model: [
      wants({ file_system: { write: ["../other", "/opt/elsewhere"] } }),
      exec("touch ../other/made", "2"),
      DONE,
    ],
    during: [
      asks,
      grant({
        permissions: { fileSystem: { write: ["{{ask.params.permissions.fileSystem.write.0}}"] } },
        scope: "turn",
      }),
    ],
    after: [exists("other/made", true)],
  }),
  approvalTurn({
    name: "permissions/nothing-granted",
    about: "An empty grant grants nothing, and the model is told so.",
    config: FEATURE,
    thread: ASKING,
    model: [wants({ network: { enabled: true } }), DONE],
    during: [asks, grant({ permissions: {}, scope: "turn" })],
  }),
  approvalTurn({
    name: "permissions/more-than-asked",
    about: "What was not asked for cannot be granted.",
    config: FEATURE,
    thread: ASKING,
    model: [wants({ file_system: { write: ["../other"] } }, "1", null), DONE],
    during: [asks, grant({ permissions: { network: { enabled: true } }, scope: "session" })],
  }),
  approvalTurn({
    name: "permissions/refused",
    about: "An error in place of an answer grants nothing.",
    config: FEATURE,
    thread: ASKING,
    model: [wants({ network: { enabled: true } }), DONE],
    during: [asks, { do: "answer", to: "ask", error: { code: -32000, message: "no" } }],
  }),
  approvalTurn({
    name: "permissions/never",
    about: "Under the policy never nobody is asked.",
    config: FEATURE,
    thread: { ...ASKING, approvalPolicy: "never" },
    model: [wants({ network: { enabled: true } }), DONE],
  }),
  approvalTurn({
    name: "permissions/empty",
    about: "A request for nothing is refused.",
    config: FEATURE,
    thread: ASKING,
    model: [wants({}), DONE],
  }),
];
