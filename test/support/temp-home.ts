/** A temporary home and workspace for one server, removed after the test. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type TempHome = {
  /** The folder that holds everything below. */
  readonly root: string;
  /** The server's home: config.toml, rollouts, databases. */
  readonly home: string;
  /** A project folder to work in. */
  readonly workspace: string;
  /** The user's `$HOME`, so that nothing of the user who runs the tests is read. */
  readonly user: string;
  /** Writes a file and creates its folders; the path is relative to the root. */
  write(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
};

export type TempHomeOptions = {
  /** The parent folder; defaults to the system's temporary folder. */
  readonly under?: string;
  readonly config?: string;
};

export async function createTempHome(options: TempHomeOptions = {}): Promise<TempHome> {
  const base = options.under ?? tmpdir();
  await mkdir(base, { recursive: true });
  const root = await realpath(await mkdtemp(join(base, "heddle-")));
  const folders = { home: join(root, "home"), workspace: join(root, "workspace"), user: join(root, "user") };
  for (const folder of Object.values(folders)) await mkdir(folder);

  async function write(path: string, text: string): Promise<void> {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  if (options.config !== undefined) await write("home/config.toml", options.config);
  return {
    root,
    ...folders,
    write,
    // Processes that a server started may live a little longer than it, and still write.
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 }),
  };
}
