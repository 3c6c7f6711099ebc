/** The wire version; readers accept no other. */
export const WIRE_VERSION = "lifeloop.v0.4";

/** Why a message is rejected. `malformed`: its shape is wrong. The others have the right shape and violate a rule. */
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

export type ParsedMessage<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: WireError };

export function violation(kind: RuleKind, detail: string): WireError {
  return { kind, detail };
}

export function wrongVersion(found: string): WireError | null {
  if (found === WIRE_VERSION) return null;
  return { kind: "schema_version_mismatch", detail: { expected: WIRE_VERSION, found } };
}

/** The first of the named members that is an empty string. A blank one is not empty. */
export function firstEmpty<T extends object>(
  prefix: string,
  value: T,
  names: readonly (keyof T & string)[],
): WireError | null {
  const name = names.find((candidate) => value[candidate] === "");
  return name === undefined ? null : { kind: "empty_field", detail: `${prefix}.${name}` };
}

/** Returns the first violation; later rules are not checked. */
export function firstViolation(checks: Iterable<() => WireError | null>): WireError | null {
  for (const check of checks) {
    const error = check();
    if (error !== null) return error;
  }
  return null;
}

/** Applies the rules to a parsed message. */
export function checked<T>(
  parsed: ParsedMessage<T>,
  rules: (value: T) => WireError | null,
): ParsedMessage<T> {
  if (!parsed.ok) return parsed;
  const error = rules(parsed.value);
  return error === null ? parsed : { ok: false, error };
}

/** One line for users. */
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
