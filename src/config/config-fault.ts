// Why a configuration cannot be used. Faults are values: a broken file is an expected outcome.

export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export interface TextLocation {
  readonly file: string;
  readonly start: TextPosition;
  readonly end: TextPosition;
}

export interface ConfigFault {
  readonly message: string;
  /** The keys that lead to the value at fault. */
  readonly path?: readonly string[];
  readonly location?: TextLocation;
}

/** One line for people: with its place in the file when that is known. */
export function describeFault(fault: ConfigFault): string {
  const { message, location } = fault;
  if (location !== undefined) {
    return `${location.file}:${location.start.line}:${location.start.column}: ${message}`;
  }
  return describeInTable(fault);
}

/** For values that come from no single file: with the path of keys instead. */
export function describeInTable({ message, path }: ConfigFault): string {
  return path === undefined || path.length === 0 ? message : `${message}\nin \`${path.join(".")}\`\n`;
}
