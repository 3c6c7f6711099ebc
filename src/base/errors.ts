/**
 * An error with a code, thrown by modules below the server. It never crosses the wire itself:
 * the server converts it into a wire error in one place.
 */
export class AppError<Code extends string = string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AppError";
    this.code = code;
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Why a connection failed: Node leaves the message empty when it has tried several addresses. */
export function connectionErrorText(error: unknown): string {
  if (!(error instanceof AggregateError)) return messageOf(error);
  const causes = new Set(error.errors.map(messageOf));
  return causes.size === 0 ? messageOf(error) : [...causes].join(", ");
}

/** The `strerror` texts of the C library; those of Node differ and are in lower case. */
const OS_ERROR_TEXTS: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EADDRINUSE: "Address already in use",
  EADDRNOTAVAIL: "Cannot assign requested address",
  EAGAIN: "Resource temporarily unavailable",
  EBUSY: "Device or resource busy",
  ECONNREFUSED: "Connection refused",
  EEXIST: "File exists",
  EINVAL: "Invalid argument",
  EIO: "Input/output error",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  EMFILE: "Too many open files",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  ENXIO: "No such device or address",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
  ETXTBSY: "Text file busy",
  EXDEV: "Invalid cross-device link",
};

/** An operating-system error in the form that clients of the protocol know: `File exists (os error 17)`. */
export function osErrorText(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  const text = code === undefined ? undefined : OS_ERROR_TEXTS[code];
  return text === undefined || errno === undefined ? message : `${text} (os error ${Math.abs(errno)})`;
}
