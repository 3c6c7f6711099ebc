/**
 * Faults of a configuration, with their location. Faults are values, because a broken file is an expected
 * outcome.
 */
import { outlineToml, type TomlStatement } from "./toml-outline.ts";
import { isPrefix, samePath } from "./toml-value.ts";

export interface TomlPosition {
  readonly line: number;
  readonly column: number;
}

export interface TextLocation {
  readonly file: string;
  readonly start: TomlPosition;
  readonly end: TomlPosition;
}

export interface ConfigFault {
  readonly message: string;
  /** The keys that lead to the invalid value. */
  readonly path?: readonly string[];
  readonly location?: TextLocation;
}

/** One line for the user, with the location in the file where it is known. */
export function describeFault(fault: ConfigFault): string {
  const { message, location } = fault;
  if (location !== undefined) {
    return `${location.file}:${location.start.line}:${location.start.column}: ${message}`;
  }
  return describeInTable(fault);
}

/** For values without a single file: with the key path instead. */
export function describeInTable({ message, path }: ConfigFault): string {
  return path === undefined || path.length === 0 ? message : `${message}\nin \`${path.join(".")}\`\n`;
}

/** The value at `path`, or the nearest statement in the file: a table's header, its first key. */
export function locateValue(file: string, text: string, path: readonly string[]): TextLocation | undefined {
  const statements = outlineToml(text);
  const exact = statements.find((statement) => isPrefix(statement.path, path) && statement.kind === "pair");
  if (exact !== undefined) return spanOf(file, text, exact.valueStart, exact.valueEnd);
  return locateInside(file, text, statements, path);
}

export function locateKey(file: string, text: string, path: readonly string[]): TextLocation | undefined {
  const statements = outlineToml(text);
  const exact = statements.find((statement) => statement.kind === "pair" && samePath(statement.path, path));
  if (exact !== undefined) return spanOf(file, text, exact.keyStart, exact.keyEnd);
  const holder = statements.find((statement) => statement.kind === "pair" && isPrefix(statement.path, path));
  if (holder !== undefined) return spanOf(file, text, holder.valueStart, holder.valueEnd);
  return locateInside(file, text, statements, path);
}

function locateInside(
  file: string,
  text: string,
  statements: readonly TomlStatement[],
  path: readonly string[],
): TextLocation | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = path.slice(0, length);
    const inside = statements.find((statement) => isPrefix(prefix, statement.path));
    if (inside !== undefined) return spanOf(file, text, inside.keyStart, inside.keyEnd);
  }
  return undefined;
}

function spanOf(file: string, text: string, start: number, end: number): TextLocation {
  return { file, start: positionOf(text, start), end: positionOf(text, Math.max(start, end - 1)) };
}

function positionOf(text: string, offset: number): TomlPosition {
  const before = text
    .slice(0, offset)
    .replace(/^\uFEFF/, "")
    .split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
