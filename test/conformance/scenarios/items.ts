/** What clients see of the items of a model's response. */
import { type ModelEvent, messageReply, reply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { completed, turn, turnScenario, withThread } from "../turn-steps.ts";

const added = (item: object): ModelEvent => ({ type: "response.output_item.added", item });
const done = (item: object): ModelEvent => ({ type: "response.output_item.done", item });
const delta = (text: string): ModelEvent => ({ type: "response.output_text.delta", delta: text });

const message = (id: string, text: string, more: object = {}) => ({
  type: "message",
  role: "assistant",
  id,
  content: text === "" ? [] : [{ type: "output_text", text }],
  ...more,
});

const user = (...parts: readonly (string | object)[]) => ({
  type: "message",
  role: "user",
  id: `msg_u${JSON.stringify(parts).length}`,
  content: parts.map((part) => (typeof part === "string" ? { type: "input_text", text: part } : part)),
});

const search = (id: string, action?: object) =>
  done({ type: "web_search_call", id, status: "completed", ...(action === undefined ? {} : { action }) });

/** A message that arrives in these pieces. */
function streamed(id: string, ...pieces: readonly string[]): readonly ModelEvent[] {
  return [added(message(id, "")), ...pieces.map(delta), done(message(id, pieces.join("")))];
}

const PLAN_MODE = {
  collaborationMode: {
    mode: "plan",
    settings: { model: "mock-model", reasoning_effort: null, developer_instructions: "Make a plan." },
  },
};

/** One turn whose only response consists of these events. */
function oneResponse(
  name: string,
  about: string,
  events: readonly ModelEvent[],
  more: Readonly<Record<string, unknown>> = {},
): Scenario {
  return turnScenario({
    name: `items/${name}`,
    about,
    model: [reply("1", ...events)],
    steps: [...withThread(), turn("Go", more), completed],
  });
}

const IMAGE = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
const prompt = (id: string, text = "go on") => `<hook_prompt hook_run_id="${id}">${text}</hook_prompt>`;
const plan = (text: string) => `<proposed_plan>\n${text}\n</proposed_plan>\n`;

export const itemScenarios: readonly Scenario[] = [
  oneResponse(
    "web-search",
    "A search by the provider is an item that says in one line what was looked for.",
    [
      added({ type: "web_search_call", id: "ws_1", status: "in_progress" }),
      search("ws_1", { type: "search", query: "cats", queries: ["cats"] }),
      search("ws_2", { type: "search", queries: ["a", "b"] }),
      search("ws_3", { type: "open_page", url: "http://x" }),
      search("ws_4", { type: "find_in_page", url: "http://x", pattern: "p" }),
      search("ws_5", { type: "teleport" }),
      search("ws_6"),
      done(message("msg_1", "Done")),
    ],
  ),
  oneResponse("kinds", "Kinds that clients are not told of, and those that nobody knows, are passed over.", [
    done({ type: "new_kind", id: "x" }),
    done({ type: "agent_message", id: "am", author: "a", recipient: "b", content: [] }),
    done({ type: "message", role: "system", id: "s", content: [{ type: "input_text", text: "s" }] }),
    done({ type: "message", role: "developer", id: "d", content: [{ type: "input_text", text: "d" }] }),
    done({
      type: "reasoning",
      id: "rs_1",
      summary: [],
      content: [
        { type: "reasoning_text", text: "raw" },
        { type: "text", text: "more" },
      ],
    }),
    done(message("msg_1", "Done", { phase: "commentary" })),
  ]),
  oneResponse("citations", "What a message says about memories is taken out of its text while it streams.", [
    ...streamed("msg_1", "Hi <oai", "-mem-citation>hid", "den</oai-mem-cit", "ation> there <oai-m"),
    done(
      message(
        "msg_2",
        "a<oai-mem-citation><citation_entries>\nMEMORY.md:1-2|note=[n]\n</citation_entries>\n<rollout_ids>\nt1\n</rollout_ids></oai-mem-citation>b",
      ),
    ),
  ]),
  oneResponse("foreign-user-messages", "User messages of a response are passed over.", [
    done(user("hello", "<image>", IMAGE, "</image>", '<image name=[Image #2] path="x">', IMAGE, "</image>")),
    done(user("<image>", "</image>", { type: "input_image", file_id: "f", detail: "low" })),
    done(user("<turn_aborted>x</turn_aborted>")),
    done(user("<Environment_Context>x</ENVIRONMENT_context>")),
    done(user("<external_a>x</external_a>")),
    done(user("<external_a>x</external_b>")),
    done(user('<codex_internal_context source="goal">x</codex_internal_context>')),
    done(user("<token_budget>x</token_budget>")),
    done(message("msg_1", "Done")),
  ]),
  oneResponse("foreign-hook-prompts", "Hook prompts of a response are passed over.", [
    done(user(prompt("a"), prompt("b", "x &amp; &lt;y&gt; &#65;"))),
    done(user(prompt("a"), "<turn_aborted>x</turn_aborted>")),
    done(user(prompt("a"), "plain")),
    done(user(prompt("a"), IMAGE)),
    done(user(prompt(""))),
    done(user(prompt("a", ""))),
    done(user(prompt("a", "x & y"))),
    done(user(prompt("a", "<![CDATA[x <b>]]>"))),
    done(user(`${prompt("a")} behind`)),
    done(message("msg_1", "Done")),
  ]),
  oneResponse(
    "plan",
    "In Plan mode the plan of a message is an item that streams.",
    streamed("msg_1", "Preface\n<propo", "sed_plan>\n# Plan\n- fi", "rst\n</proposed_plan>\nPost", "script"),
    PLAN_MODE,
  ),
  oneResponse(
    "plan-only",
    "A message that is nothing but a plan is no message.",
    streamed("msg_1", plan("A")),
    PLAN_MODE,
  ),
  oneResponse(
    "plan-whole",
    "The last plan of a message that arrives whole counts.",
    [done(message("msg_1", `Pre\n${plan("A")}${plan("B")}`))],
    PLAN_MODE,
  ),
  oneResponse(
    "plan-unclosed",
    "A plan that is never closed reaches to the end of the message.",
    streamed("msg_1", "  \nPre <oai-mem-citation>x</oai-mem-citation>\n<proposed_plan>\nA\n  more"),
    PLAN_MODE,
  ),
  oneResponse(
    "plan-twice",
    "Of several messages only the first plan is an item.",
    [...streamed("msg_1", plan("A")), ...streamed("msg_2", "again\n", plan("B"))],
    PLAN_MODE,
  ),
  oneResponse("plan-elsewhere", "In other modes a plan is text.", streamed("msg_1", `Pre\n${plan("A")}Post`)),
  turnScenario({
    name: "items/no-message",
    about: "A message without words is an item; the turn's summary has the last message all the same.",
    model: [reply("1", done(message("msg_1", "Words")), done(message("msg_2", ""))), messageReply("Next")],
    steps: [...withThread(), turn("Go"), completed],
  }),
];
