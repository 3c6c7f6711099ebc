import type { ConfigResult } from "../config/config-error.ts";
import { RpcError } from "../jsonrpc/rpc-error.ts";
import { errorCodes } from "../protocol/errors.ts";

/** The value of a configuration result; a refusal becomes the error that the protocol has for it. */
export function unwrapConfig<T>(result: ConfigResult<T>): T {
  if (result.ok) return result.value;
  const { message, writeCode } = result.error;
  if (writeCode === undefined) throw new RpcError(errorCodes.internalError, message);
  throw new RpcError(errorCodes.invalidRequest, message, { config_write_error_code: writeCode });
}
