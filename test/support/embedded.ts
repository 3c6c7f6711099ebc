/** A server inside this process, on its own home, that is closed with the test. */
import { onTestFinished } from "vitest";
import { createHeddle, type EmbeddedOptions } from "../../src/index.ts";
import { createTempHome } from "./temp-home.ts";

export async function openEmbedded(config = "", options: Pick<EmbeddedOptions, "log"> = {}) {
  const folders = await createTempHome({ config });
  onTestFinished(() => folders.remove());
  const { home, workspace: cwd, user: HOME } = folders;
  const heddle = await createHeddle({ ...options, home, cwd, env: { HOME } });
  onTestFinished(() => heddle.close());
  return { folders, heddle };
}
