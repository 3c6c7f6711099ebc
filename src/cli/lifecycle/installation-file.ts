/** Stores the installations in a file of the home, so that each can be reverted byte for byte. */
import { join } from "node:path";
import { isObject } from "../../base/json-object.ts";
import { readTextSync } from "../../base/read-regular-file.ts";
import { replaceFile, resolveWriteTarget } from "../../config/config-file.ts";
import type { TextEdit } from "./edit-json.ts";
import type { Installation } from "./plan-install.ts";

export interface InstallationFile {
  /** Null where no installation is stored. */
  find(key: InstallationKey): Installation | null;
  /** Stores an installation; null removes it. */
  store(key: InstallationKey, installation: Installation | null): Promise<void>;
}

export interface InstallationKey {
  readonly adapter: string;
  /** The file of the harness. */
  readonly file: string;
  readonly command: string;
}

const MAX_BYTES = 8 * 1024 * 1024;
const ATTEMPTS = 50;

export function openInstallationFile(home: string, createId: () => string): InstallationFile {
  const path = join(home, "lifecycle-installs.json");
  return {
    find: (key) => parseAll(readTextSync(path, MAX_BYTES)).get(nameOf(key)) ?? null,
    async store(key, installation) {
      const target = await resolveWriteTarget(path);
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const text = readTextSync(target, MAX_BYTES);
        const all = parseAll(text);
        if (installation === null) all.delete(nameOf(key));
        else all.set(nameOf(key), installation);
        const written = `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`;
        const from = { target, text: text ?? undefined };
        if ((await replaceFile(from, written, `.lifecycle-installs.${createId()}`)) === "replaced") return;
      }
      throw new Error(`${path} could not be written: other processes keep changing it`);
    },
  };
}

function nameOf({ adapter, file, command }: InstallationKey): string {
  return JSON.stringify([adapter, file, command]);
}

/** Ignores invalid entries: the entries of a harness are then found by their content. */
function parseAll(text: string | null): Map<string, Installation> {
  const all = new Map<string, Installation>();
  const read = parse(text ?? "{}");
  for (const [name, value] of isObject(read) ? Object.entries(read) : []) {
    const installation = toInstallation(value);
    if (installation !== null) all.set(name, installation);
  }
  return all;
}

function toInstallation(value: unknown): Installation | null {
  if (!isObject(value)) return null;
  const { digest, hooks, undo, made } = value;
  if (typeof digest !== "string" || !isTexts(hooks) || !isTexts(made)) return null;
  if (undo === null) return { digest, hooks, made, undo };
  return isEdits(undo) ? { digest, hooks, made, undo } : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isEdits(value: unknown): value is readonly (readonly TextEdit[])[] {
  return Array.isArray(value) && value.every((edits) => Array.isArray(edits) && edits.every(isEdit));
}

function isEdit(value: unknown): value is TextEdit {
  if (!isObject(value)) return false;
  const { at, length, text } = value;
  return isCount(at) && isCount(length) && typeof text === "string";
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
