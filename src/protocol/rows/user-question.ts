// Other requests of the server to a client.

import { serverRequest } from "./row.ts";
import { array, boolean, define, i64, map, nullable, object, string, u64 } from "./shape.ts";

export const ToolRequestUserInputOption = define(
  "ToolRequestUserInputOption",
  object({ label: string(), description: string() }),
);
export const ToolRequestUserInputQuestion = define(
  "ToolRequestUserInputQuestion",
  object({
    id: string(),
    header: string(),
    question: string(),
    isOther: boolean(),
    isSecret: boolean(),
    options: nullable(array(ToolRequestUserInputOption)),
  }),
);
export const ToolRequestUserInputParams = define(
  "ToolRequestUserInputParams",
  object({
    threadId: string(),
    turnId: string(),
    itemId: string(),
    questions: array(ToolRequestUserInputQuestion),
    isBlocking: boolean(),
    autoResolutionMs: nullable(u64()),
  }),
);
export const ToolRequestUserInputAnswer = define(
  "ToolRequestUserInputAnswer",
  object({ answers: array(string()) }),
);
export const ToolRequestUserInputResponse = define(
  "ToolRequestUserInputResponse",
  object({ answers: map(ToolRequestUserInputAnswer) }),
);
export const AttestationGenerateParams = define("AttestationGenerateParams", object({}));
export const AttestationGenerateResponse = define("AttestationGenerateResponse", object({ token: string() }));
export const CurrentTimeReadParams = define("CurrentTimeReadParams", object({ threadId: string() }));
export const CurrentTimeReadResponse = define("CurrentTimeReadResponse", object({ currentTimeAt: i64() }));

export const userQuestionServerRequests = {
  "item/tool/requestUserInput": serverRequest({
    summary: "Questions of the agent to the user.",
    stability: "stable",
    params: ToolRequestUserInputParams,
    result: ToolRequestUserInputResponse,
    raises: "question",
  }),
  "attestation/generate": serverRequest({
    summary: "Requests an attestation of the client for the model provider.",
    stability: "stable",
    params: AttestationGenerateParams,
    result: AttestationGenerateResponse,
  }),
  "currentTime/read": serverRequest({
    summary: "Requests the user's current time.",
    stability: "experimental",
    params: CurrentTimeReadParams,
    result: CurrentTimeReadResponse,
  }),
};
