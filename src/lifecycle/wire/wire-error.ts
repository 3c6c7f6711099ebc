/** The version of the wire. Readers want this one and no other. */
export const WIRE_VERSION = "lifeloop.v0.4";

/** Why a message is refused. `malformed` is one whose shape is wrong; the others have the shape and break a rule. */
export type WireError =
  | { readonly kind: "malformed"; readonly detail: string }
  | { readonly kind: "empty_field"; readonly detail: string }
  | {
      readonly kind: "schema_version_mismatch";
      readonly detail: { readonly expected: string; readonly found: string };
    }
  | { readonly kind: RuleKind; readonly detail: string };

type RuleKind =
  | "invalid_frame_context"
  | "invalid_payload"
  | "invalid_receipt"
  | "invalid_request"
  | "invalid_response"
  | "invalid_manifest";

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: WireError };

export function broken(kind: RuleKind, detail: string): WireError {
  return { kind, detail };
}

export function wrongVersion(found: string): WireError | null {
  if (found === WIRE_VERSION) return null;
  return { kind: "schema_version_mismatch", detail: { expected: WIRE_VERSION, found } };
}

/** The first of the named members that is an empty text. Blank is not empty. */
export function firstEmpty<T extends object>(
  prefix: string,
  value: T,
  names: readonly (keyof T & string)[],
): WireError | null {
  const name = names.find((candidate) => value[candidate] === "");
  return name === undefined ? null : { kind: "empty_field", detail: `${prefix}.${name}` };
}

/** The first rule that is broken; the others are not looked at. */
export function firstBroken(checks: Iterable<() => WireError | null>): WireError | null {
  for (const check of checks) {
    const error = check();
    if (error !== null) return error;
  }
  return null;
}

/** A message of the right shape that keeps its rules. */
export function checked<T>(parsed: Parsed<T>, rules: (value: T) => WireError | null): Parsed<T> {
  if (!parsed.ok) return parsed;
  const error = rules(parsed.value);
  return error === null ? parsed : { ok: false, error };
}

/** One line for people. */
export function wireErrorText(error: WireError): string {
  switch (error.kind) {
    case "empty_field":
      return `empty sentinel string in field \`${error.detail}\``;
    case "schema_version_mismatch":
      return `schema_version mismatch: expected \`${error.detail.expected}\`, found \`${error.detail.found}\``;
    default:
      return `${error.kind.replace("_", " ")}: ${error.detail}`;
  }
}
