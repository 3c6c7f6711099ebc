import { expect, onTestFinished, test } from "vitest";
import { openEmbedded } from "../support/embedded.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";

/**
 * The context that the model receives in one turn of a home with two skills, and the warnings for the user.
 */
async function runTurn(settings: string) {
  const model = await openScriptedModel([messageReply("Done")]);
  onTestFinished(() => model.close());
  const tables = `[skills]\n${settings}`;
  const { folders, heddle } = await openEmbedded(modelConfig(model.url, { tables }));
  for (const name of ["first", "second"]) {
    const text = `---\nname: ${name}\ndescription: ${"what it does ".repeat(40)}\n---\nDo it.\n`;
    await folders.write(`home/skills/${name}/SKILL.md`, text);
  }
  const client = await heddle.connect();
  const warnings: string[] = [];
  client.on("warning", ({ message }) => message.includes("skills") && warnings.push(message));
  const { thread } = await client.thread.start({});
  for (const text of ["Hello", "Again"]) {
    await client.runTurn({ threadId: thread.id, input: [{ type: "text", text }] });
  }
  return { told: JSON.stringify(model.requests.at(-1)?.body), warnings };
}

test("skills are told with their descriptions", async () => {
  const { told, warnings } = await runTurn("");
  expect(told).toContain("- first: what it does what it does");
  expect(warnings).toEqual([]);
});

test("a list that is too long is shortened, and the user hears of it once", async () => {
  const { told, warnings } = await runTurn("max_context_tokens = 40");
  expect(told).toContain("- second:");
  expect(told).not.toContain("what it does what it does what it does");
  expect(warnings).toEqual([expect.stringContaining("their list may take 40 tokens")]);
});

test("the model hears nothing of skills where the user does not want it", async () => {
  const { told } = await runTurn("include_instructions = false");
  expect(told).not.toContain("skills_instructions");
});
