// A temporary folder for skills in tests.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export interface SkillFiles {
  readonly folder: string;
  path(...parts: string[]): string;
  write(path: string, contents: string | Uint8Array): string;
  /** Writes a SKILL.md with a name and a description, and returns its path. */
  skill(folder: string, name: string, description?: string): string;
  link(path: string, target: string): void;
  remove(path: string): void;
}

export function createSkillFiles(): SkillFiles {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-skills-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files: SkillFiles = {
    folder,
    path: (...parts) => join(folder, ...parts),
    write(path, contents) {
      const target = join(folder, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, contents);
      return target;
    },
    skill: (path, name, description = `about ${name}`) =>
      files.write(join(path, "SKILL.md"), `---\nname: ${name}\ndescription: ${description}\n---\nBody\n`),
    link(path, target) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(target, join(folder, path));
    },
    remove: (path) => rmSync(join(folder, path), { recursive: true, force: true }),
  };
  return files;
}
