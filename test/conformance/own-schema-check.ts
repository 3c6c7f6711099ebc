/** Checks what Heddle sends against the JSON Schemas that it publishes. */
import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import { isObject, type JsonObject } from "../support/json.ts";
import { type Entry, entryName, type Recording } from "./recording.ts";

const folder = new URL("../../schema/", import.meta.url);
const load = (file: string) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as JsonObject;

interface Listed {
  readonly method: string;
  readonly params: string | null;
  readonly result?: string;
}

/** Events of the first generation have no schema. */
const UNLISTED = /^codex\/event\//u;

/** Says which messages of a recording do not fit, and why. */
export function createOwnSchemaCheck(): (recording: Recording) => string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
  ajv.addSchema({ ...load("heddle.schemas.json"), $id: "heddle" });
  const methods = load("methods.json") as unknown as Record<
    "requests" | "serverRequests" | "notifications",
    readonly Listed[]
  >;
  const named = (lists: readonly Listed[], name: (row: Listed) => string | null | undefined) =>
    new Map(lists.map((row) => [row.method, name(row) ?? null]));
  const results = named(methods.requests, ({ result }) => result);
  const sent = {
    request: named(methods.serverRequests, ({ params }) => params),
    notification: named(methods.notifications, ({ params }) => params),
  };

  function validator(name: string): ValidateFunction {
    const found = ajv.getSchema(`heddle#/definitions/${name}`);
    if (found === undefined) throw new Error(`there is no schema of ${name}`);
    return found as ValidateFunction;
  }

  function fault(name: string | null | undefined, value: unknown, method: string): string | null {
    if (name === undefined) return `${method} is not in the schemas`;
    if (name === null) return null;
    const validate = validator(name);
    if (validate(value)) return null;
    const [error] = validate.errors ?? [];
    return `${name} ${error?.instancePath ?? ""} ${error?.message ?? ""} ${JSON.stringify(error?.params)}`;
  }

  function problem({ sent: as, value }: Entry): string | null {
    if (as?.method === undefined || !isObject(value) || UNLISTED.test(as.method)) return null;
    if (as.kind === "response")
      return "error" in value ? null : fault(results.get(as.method), value["result"], as.method);
    if (as.kind === "other") return null;
    return fault(sent[as.kind].get(as.method), value["params"], as.method);
  }

  return ({ entries }) =>
    entries.flatMap((entry) => {
      const text = problem(entry);
      return text === null ? [] : [`${entryName(entry)}: ${text}`];
    });
}
