/** A server inside this process, on a home of its own, that ends with the test. */
import { onTestFinished } from "vitest";
import { createHeddle } from "../../src/index.ts";
import { createTempHome } from "./temp-home.ts";

export async function openEmbedded(config = "") {
  const folders = await createTempHome({ config });
  onTestFinished(() => folders.remove());
  const { home, workspace: cwd, user: HOME } = folders;
  const heddle = await createHeddle({ home, cwd, env: { HOME } });
  onTestFinished(() => heddle.close());
  return { folders, heddle };
}
