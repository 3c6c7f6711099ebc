// The errors of this module, ready to be converted into wire errors.

export type ConfigWriteErrorCode =
  | "configLayerReadonly"
  | "configVersionConflict"
  | "configValidationError"
  | "configRequirementReadonly";

/**
 * With a `writeCode` the request itself is invalid: an invalid-request error whose
 * `data.config_write_error_code` is that code. Without one the configuration cannot be used: an internal
 * error.
 */
export interface ConfigError {
  readonly message: string;
  readonly writeCode?: ConfigWriteErrorCode;
}

export type ConfigResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ConfigError };

export function rejectWrite(
  writeCode: ConfigWriteErrorCode,
  message: string,
): { ok: false; error: ConfigError } {
  return { ok: false, error: { message, writeCode } };
}

export function configFailure(message: string): { ok: false; error: ConfigError } {
  return { ok: false, error: { message } };
}
