/** What a user can hand to a turn besides text, and what the model is told of it. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { call, refused } from "../steps.ts";
import { completed, conversation, THREAD, textInput, turn, turnScenario, withThread } from "../turn-steps.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNoAAIABQUCAaxTIjoAAAAASUVORK5CYII=";

type Input = readonly Readonly<Record<string, unknown>>[];

const given = (input: Input, as = "turn") => turn("", { input }, { as });

/** One turn with this input. */
function oneTurn(name: string, about: string, input: Input, more: Partial<Scenario> = {}): Scenario {
  const { files } = more;
  return turnScenario({
    name: `input/${name}`,
    about,
    model: [messageReply("Done")],
    ...(files === undefined ? {} : { files }),
    steps: [
      ...withThread(),
      given(input),
      completed,
      conversation,
      call("thread/read", { threadId: THREAD }, { as: "read" }),
    ],
  });
}

export const inputScenarios: readonly Scenario[] = [
  oneTurn(
    "images",
    "Images travel as data URLs or as files of the provider; what cannot be one is said so.",
    [
      { type: "image", url: PIXEL },
      { type: "image", url: PIXEL.replace("image/png", "application/octet-stream"), detail: "original" },
      { type: "image", url: PIXEL, detail: "low" },
      { type: "image", url: "data:image/png;base64,xxxx" },
      { type: "image", url: "data:image/png,abc" },
      { type: "image", url: "foo:bar" },
      { type: "image", fileId: "file_1" },
    ],
  ),
  oneTurn(
    "local-images",
    "An image file that cannot be read, or is none, is told to the model by its path.",
    [
      { type: "image", url: PIXEL },
      { type: "localImage", path: "{{workspace}}/none.png" },
      { type: "localImage", path: "{{workspace}}/a.txt" },
      { type: "localImage", path: "{{workspace}}" },
      { type: "localImage", path: "rel.png" },
    ],
    { files: { "workspace/a.txt": "hello" } },
  ),
  oneTurn(
    "audio",
    "Recordings are kept, but a model without ears is told that they were left out.",
    [
      { type: "audio", url: "data:audio/wav;base64,UklGRg==" },
      { type: "localAudio", path: "{{workspace}}/a.wav" },
      { type: "localAudio", path: "{{workspace}}/a.flac" },
      { type: "localAudio", path: "{{workspace}}/none.wav" },
    ],
    { files: { "workspace/a.wav": "RIFF", "workspace/a.flac": "x" } },
  ),
  oneTurn("preview", "A thread is called by the text of its first input.", [
    { type: "image", url: PIXEL },
    ...textInput("  a\n", " b "),
  ]),
  oneTurn("preview-skill", "A skill alone gives a thread no preview.", [
    { type: "skill", name: "x", path: "/x" },
  ]),
  turnScenario({
    name: "input/remote-images",
    about: "An image of the web is refused with the request.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      refused(
        "turn/start",
        { threadId: THREAD, input: [{ type: "image", url: "https://example.com/a.png" }] },
        "remote image URLs are not supported; use an inline data URL instead",
        "turn",
      ),
    ],
  }),
  turnScenario({
    name: "input/skills-by-name",
    about: "A skill that the text names is given to the model after the user's words.",
    model: [messageReply("Done"), messageReply("Done", { id: "2" })],
    files: {
      "home/skills/demo/SKILL.md": "---\nname: demo\ndescription: does demo things\n---\nDo the demo.\n",
    },
    steps: [
      ...withThread(),
      turn("please $demo, not $PATH"),
      completed,
      turn("see [$any]({{home}}/skills/demo/SKILL.md)", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "input/additional-context",
    about: "What an application adds is told before the user's words, and again only when it has changed.",
    model: [messageReply("One"), messageReply("Two", { id: "2" }), messageReply("Three", { id: "3" })],
    steps: [
      ...withThread(),
      turn("one", {
        additionalContext: {
          b: { value: "v2 <x>", kind: "application" },
          a: { value: "v1", kind: "untrusted", name: "page" },
        },
      }),
      completed,
      turn(
        "two",
        {
          additionalContext: {
            a: { value: "v1", kind: "untrusted", name: "page" },
            b: { value: "v3", kind: "application" },
          },
        },
        { as: "second" },
      ),
      completed,
      turn("three", {}, { as: "third" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "input/additional-context-refused",
    about: "A name of added context has a form, and is for untrusted context only.",
    steps: [
      ...withThread(),
      refused(
        "turn/start",
        {
          threadId: THREAD,
          input: textInput("x"),
          additionalContext: { a: { value: "v", kind: "untrusted", name: "N" } },
        },
        "additional context name must match [a-z][a-z0-9_]{0,63}",
        "turn",
      ),
      refused(
        "turn/start",
        {
          threadId: THREAD,
          input: textInput("x"),
          additionalContext: { a: { value: "v", kind: "application", name: "n" } },
        },
        "additional context name is only supported for untrusted context",
        "second",
      ),
    ],
  }),
];
