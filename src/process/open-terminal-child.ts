/** A child in a terminal, through whichever of the two optional packages this platform has. */
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { AppError } from "../base/errors.ts";
import type { ChildListener, ChildSource } from "./child-source.ts";
import { findProgram } from "./find-program.ts";
import { type NodePty, openNodePtyChild } from "./open-node-pty-child.ts";
import { openRusptyChild, type Ruspty } from "./open-ruspty-child.ts";
import type { ProcessSpec, TerminalSize } from "./process-host.ts";

export type TerminalLibrary = (size: TerminalSize, spec: ProcessSpec, listener: ChildListener) => ChildSource;

/** Opens children with the first of the packages that loads. */
export function loadTerminalLibrary(names: readonly string[] = LIBRARIES): TerminalLibrary {
  const require = createRequire(import.meta.url);
  for (const name of names) {
    const loaded = load(require, name);
    if (loaded !== null) return loaded;
  }
  throw new AppError(
    "process.terminal",
    "terminals need the optional package @replit/ruspty or @lydell/node-pty",
  );
}

const LIBRARIES = ["@replit/ruspty", "@lydell/node-pty"];

function load(require: NodeJS.Require, name: string): TerminalLibrary | null {
  try {
    const library: unknown = require(name);
    return name === "@replit/ruspty"
      ? (size, spec, listener) => openRusptyChild(library as Ruspty, size, spec, listener)
      : (size, spec, listener) => openNodePtyChild(library as NodePty, size, spec, listener);
  } catch {
    // Absent, or without a binary for this platform: the next one may do.
    return null;
  }
}

/** Checks first what the packages report only in their own words, or not at all. */
export async function openTerminalChild(
  library: TerminalLibrary,
  size: TerminalSize,
  spec: ProcessSpec,
  listener: ChildListener,
): Promise<ChildSource> {
  await stat(spec.cwd);
  const program = await findProgram(spec.argv[0] ?? "", spec.cwd, spec.env["PATH"]);
  return library(size, { ...spec, argv: [program, ...spec.argv.slice(1)] }, listener);
}
