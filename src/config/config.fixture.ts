// A home folder, a system folder and projects on disk for one test.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Configuration, type OpenConfigOptions, openConfig } from "./configuration.ts";

export interface TestHome {
  readonly root: string;
  readonly home: string;
  readonly configFile: string;
  /** Writes a file below the root and creates its folders. */
  write(file: string, content: string | Buffer): string;
  read(file: string): string;
  list(folder: string): string[];
  open(options?: Partial<OpenConfigOptions>): Promise<Configuration>;
}

export function createTestHome(config?: string): TestHome {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "heddle-config-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = path.join(root, "home");
  mkdirSync(home);
  let ids = 0;

  function write(file: string, content: string | Buffer): string {
    const full = path.join(root, file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  }

  async function open(options: Partial<OpenConfigOptions> = {}): Promise<Configuration> {
    const opened = await openConfig({
      home,
      userHome: path.join(root, "user"),
      cwd: root,
      systemDir: path.join(root, "system"),
      createId: () => `${path.basename(root)}-${ids++}`,
      ...options,
    });
    if (!opened.ok) throw new Error(opened.message);
    return opened.config;
  }

  if (config !== undefined) write("home/config.toml", config);
  return {
    root,
    home,
    configFile: path.join(home, "config.toml"),
    write,
    read: (file) => readFileSync(path.join(root, file), "utf8"),
    list: (folder) => readdirSync(path.join(root, folder)).sort(),
    open,
  };
}

/** A clock far ahead of all files, so that every check relies on timestamps. */
export const lateClock: Clock = { ...systemClock, now: () => Date.now() + 3_600_000 };
