// Why a turn failed: snake_case in the files, camelCase on the wire, also inside the error's kind.
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { TurnError } from "../../protocol/generated/types.ts";
import { objectOf, textOf, withoutNulls } from "./members.ts";
import { toCamel, toSnake } from "./naming-case.ts";

export function storeTurnError(error: TurnError): JsonObject {
  return withoutNulls({
    message: error.message,
    codex_error_info: renameKind(error.codexErrorInfo, toSnake),
    additional_details: error.additionalDetails,
    misalignment: error.misalignment,
  });
}

export function readTurnError(stored: JsonObject): TurnError {
  return {
    message: textOf(stored, "message") ?? "",
    codexErrorInfo: renameKind(stored["codex_error_info"], toCamel) as TurnError["codexErrorInfo"],
    additionalDetails: textOf(stored, "additional_details"),
    misalignment: objectOf(stored, "misalignment") as TurnError["misalignment"],
  };
}

function renameKind(kind: unknown, rename: (name: string) => string): unknown {
  if (typeof kind === "string") return rename(kind);
  if (!isObject(kind)) return null;
  return Object.fromEntries(
    Object.entries(kind).map(([name, detail]) => [
      rename(name),
      isObject(detail)
        ? Object.fromEntries(Object.entries(detail).map(([key, value]) => [rename(key), value]))
        : detail,
    ]),
  );
}
