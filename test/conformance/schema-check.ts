/** Checks messages against the JSON Schemas that the peer generates: responses by method, notifications, requests. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { isObject, type JsonObject } from "../support/json.ts";
import { type Entry, entryName, type Recording } from "./recording.ts";

/** Methods whose answer's schema is not named after the schema of their params. */
const ANSWERS: Readonly<Record<string, string>> = {
  "config/value/write": "ConfigWriteResponse",
  "config/batchWrite": "ConfigWriteResponse",
  "configRequirements/read": "ConfigRequirementsReadResponse",
  "account/logout": "LogoutAccountResponse",
  "account/rateLimits/read": "GetAccountRateLimitsResponse",
  "config/mcpServer/reload": "McpServerRefreshResponse",
  "memory/reset": "MemoryResetResponse",
};

/** Notifications that the peer leaves out of its list because they are for its own clients; their params have a schema. */
const UNLISTED: Readonly<Record<string, string>> = {
  "rawResponseItem/completed": "v2/RawResponseItemCompletedNotification.json",
  "rawResponse/completed": "v2/RawResponseCompletedNotification.json",
};

export type SchemaCheck = (recording: Recording) => string[];

export function createSchemaCheck(folder: string): SchemaCheck {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, logger: false });
  const compiled = new Map<string, ValidateFunction | undefined>();
  const load = (file: string): JsonObject =>
    JSON.parse(readFileSync(join(folder, file), "utf8")) as JsonObject;
  const unions = {
    request: load("ClientRequest.json"),
    notification: load("ServerNotification.json"),
    serverRequest: load("ServerRequest.json"),
  };

  function validator(key: string, schema: () => JsonObject | undefined): ValidateFunction | undefined {
    if (!compiled.has(key)) {
      const found = schema();
      compiled.set(key, found === undefined ? undefined : ajv.compile(found));
    }
    return compiled.get(key);
  }

  function answerSchema(method: string): JsonObject | undefined {
    const name = ANSWERS[method] ?? answerName(variantOf(unions.request, method));
    const file = ["", "v1/", "v2/"]
      .map((place) => `${place}${name}.json`)
      .find((each) => existsSync(join(folder, each)));
    return file === undefined ? undefined : load(file);
  }

  function problems(entry: Entry): string[] {
    const { sent, value } = entry;
    if (sent === undefined || !isObject(value)) return [];
    if (sent.kind === "response") {
      if ("error" in value)
        return check(
          validator("error", () => load("JSONRPCError.json")),
          value,
          "an error",
        );
      if (sent.method === undefined) return [];
      const method = sent.method;
      return check(
        validator(`answer ${method}`, () => answerSchema(method)),
        value["result"],
        `the answer of ${method}`,
      );
    }
    if (sent.kind === "other" || sent.method === undefined) return ["not a JSON-RPC message"];
    const union = sent.kind === "request" ? unions.serverRequest : unions.notification;
    const method = sent.method;
    const unlisted = UNLISTED[method];
    if (unlisted !== undefined) {
      return check(
        validator(method, () => load(unlisted)),
        value["params"],
        method,
      );
    }
    const validate = validator(`${sent.kind} ${method}`, () => variantOf(union, method));
    return check(validate, value, `a ${sent.kind} named ${method}`);
  }

  return (recording) =>
    recording.entries.flatMap((entry) => problems(entry).map((problem) => `${entryName(entry)}: ${problem}`));
}

function check(validate: ValidateFunction | undefined, value: unknown, what: string): string[] {
  if (validate === undefined) return [`the peer's schemas do not know ${what}`];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || "/"} ${message ?? ""}`,
  );
}

/** The member of a union of messages that has the method, as a schema that stands alone. */
function variantOf(union: JsonObject, method: string): JsonObject | undefined {
  const variants = union["oneOf"] as JsonObject[];
  const variant = variants.find((each) => JSON.stringify(each).includes(`"enum":["${method}"]`));
  return variant === undefined ? undefined : { ...variant, definitions: union["definitions"] };
}

function answerName(request: JsonObject | undefined): string {
  const params = isObject(request?.["properties"]) ? request["properties"]["params"] : undefined;
  const name = /#\/definitions\/(\w+)Params/u.exec(JSON.stringify(params) ?? "")?.[1];
  return `${name ?? "Unknown"}Response`;
}
