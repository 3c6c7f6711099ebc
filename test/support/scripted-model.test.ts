import { afterEach, describe, expect, it } from "vitest";
import { functionCallDone, messageReply, reply } from "./model-events.ts";
import { type ModelReply, openScriptedModel, type ScriptedModel, SESSION } from "./scripted-model.ts";

let model: ScriptedModel | undefined;

afterEach(async () => {
  await model?.close();
});

async function ask(replies: readonly ModelReply[]) {
  model = await openScriptedModel(replies);
  const { url } = model;
  const post = () => fetch(`${url}/v1/responses`, { method: "POST", body: '{"model":"m"}' });
  return { model, post };
}

describe("openScriptedModel", () => {
  it("answers with the next reply as server-sent events, and repeats the last", async () => {
    const { post } = await ask([{ status: 429, body: { error: "slow" } }, messageReply("hi")]);
    const first = await post();
    expect([first.status, await first.json()]).toEqual([429, { error: "slow" }]);
    for (const _ of [1, 2]) {
      const text = await (await post()).text();
      expect(text.match(/^event: .*$/gmu)).toEqual([
        "event: response.created",
        "event: response.output_item.done",
        "event: response.completed",
      ]);
    }
  });

  it("remembers what it was asked", async () => {
    const { model, post } = await ask([messageReply("hi")]);
    await post();
    expect(model.requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      { method: "POST", path: "/v1/responses", body: { model: "m" } },
    ]);
  });

  it("holds a reply until it is released", async () => {
    const { model, post } = await ask([messageReply("hi", { held: true })]);
    const answer = post();
    await model.arrived(1);
    model.release();
    expect((await answer).status).toBe(200);
  });

  it("answers 500 without a script and 404 elsewhere", async () => {
    const { model, post } = await ask([]);
    expect((await post()).status).toBe(500);
    expect((await fetch(`${model.url}/v1/models`)).status).toBe(404);
  });

  it("names the shell session that the request tells of", async () => {
    const { model: scripted } = await ask([
      reply("1", functionCallDone("c", "write_stdin", { session_id: SESSION })),
    ]);
    const answer = await fetch(`${scripted.url}/v1/responses`, {
      method: "POST",
      body: JSON.stringify({ input: ["running with session ID 1", "running with session ID 23\n"] }),
    });
    expect(await answer.text()).toContain(String.raw`"arguments":"{\"session_id\":23}"`);
  });
});
