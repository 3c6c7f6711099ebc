/** Patches that the model applies: their items, the turn's diff, and what the model is told of them. */
import { customCallDone, functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { completed, conversation, turn, turnScenario, UNCONFINED, withThread } from "../turn-steps.ts";

const DONE = messageReply("Done", { id: "9" });
const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const apply = (text: string, id = "1") => reply(id, customCallDone(`call_${id}`, "apply_patch", text));

const file = (path: string): Step => ({ do: "read", path: `workspace/${path}`, as: "text" });

const patchTurn = (
  brief: Pick<Scenario, "name" | "about" | "model"> & Pick<Partial<Scenario>, "files" | "races">,
  ...after: readonly Step[]
): Scenario =>
  turnScenario({
    ...brief,
    steps: [
      ...withThread({ ...UNCONFINED, model: "gpt-5.5" }),
      turn("Go"),
      completed,
      ...after,
      conversation,
    ],
  });

const TEXT = "one\ntwo\nthree\n";

export const patchScenarios: readonly Scenario[] = [
  patchTurn(
    {
      name: "patches/add",
      about: "A new file is a file change item, and the turn's diff shows it.",
      model: [apply(patch("*** Add File: new.txt", "+hello", "+world")), DONE],
    },
    file("new.txt"),
  ),
  patchTurn(
    {
      name: "patches/update",
      about: "A changed file is shown as a hunk.",
      files: { "workspace/a.txt": TEXT },
      model: [apply(patch("*** Update File: a.txt", "@@", " one", "-two", "+2", " three")), DONE],
    },
    file("a.txt"),
  ),
  patchTurn(
    {
      name: "patches/delete",
      about: "A deleted file is shown with its text.",
      files: { "workspace/a.txt": TEXT },
      model: [apply(patch("*** Delete File: a.txt")), DONE],
    },
    { do: "read", path: "workspace/a.txt", as: "exists" },
  ),
  patchTurn(
    {
      name: "patches/move",
      about: "A file that moves is an update with its new path.",
      files: { "workspace/a.txt": TEXT },
      model: [apply(patch("*** Update File: a.txt", "*** Move to: b/c.txt", "@@", "-two", "+2")), DONE],
    },
    file("b/c.txt"),
    { do: "read", path: "workspace/a.txt", as: "exists" },
  ),
  patchTurn({
    name: "patches/several-files",
    about: "One patch may change several files.",
    files: { "workspace/a.txt": TEXT, "workspace/b.txt": TEXT },
    model: [
      apply(
        patch(
          "*** Add File: c.txt",
          "+new",
          "*** Update File: a.txt",
          "@@",
          "-one",
          "+1",
          "*** Delete File: b.txt",
        ),
      ),
      DONE,
    ],
  }),
  patchTurn({
    name: "patches/two-patches",
    about: "The diff of a turn is that of all its patches together.",
    files: { "workspace/a.txt": TEXT },
    model: [
      apply(patch("*** Update File: a.txt", "@@", "-one", "+1"), "1"),
      apply(patch("*** Update File: a.txt", "@@", "-1", "+uno"), "2"),
      DONE,
    ],
  }),
  patchTurn({
    name: "patches/back-and-forth",
    about: "A change that is taken back leaves an empty diff.",
    files: { "workspace/a.txt": TEXT },
    model: [
      apply(patch("*** Update File: a.txt", "@@", "-one", "+1"), "1"),
      apply(patch("*** Update File: a.txt", "@@", "-1", "+one"), "2"),
      DONE,
    ],
  }),
  patchTurn({
    name: "patches/does-not-apply",
    about: "A patch that does not apply is an error for the model and nothing for the client.",
    files: { "workspace/a.txt": TEXT },
    model: [
      apply(patch("*** Update File: a.txt", "@@", "-four", "+4"), "1"),
      apply(patch("*** Update File: none.txt", "@@", "-four", "+4"), "2"),
      apply(patch("*** Delete File: none.txt"), "3"),
      DONE,
    ],
  }),
  patchTurn({
    name: "patches/not-a-patch",
    about: "Text that is no patch is an error for the model.",
    model: [apply("hello", "1"), apply("*** Begin Patch\n*** Frobnicate: x\n*** End Patch", "2"), DONE],
  }),
  patchTurn(
    {
      name: "patches/through-the-shell",
      about: "A patch in a here-document of a shell command is a file change, not a command.",
      model: [
        reply(
          "1",
          functionCallDone("call_1", "exec_command", {
            cmd: `apply_patch <<'EOF'\n${patch("*** Add File: new.txt", "+hello")}\nEOF\n`,
          }),
        ),
        DONE,
      ],
    },
    file("new.txt"),
  ),
  patchTurn(
    {
      name: "patches/through-the-shell-in-a-folder",
      about: "A patch may be preceded by a change of folder.",
      files: { "workspace/sub/a.txt": TEXT },
      model: [
        reply(
          "1",
          functionCallDone("call_1", "exec_command", {
            cmd: `cd sub && apply_patch <<'EOF'\n${patch("*** Update File: a.txt", "@@", "-one", "+1")}\nEOF\n`,
          }),
        ),
        DONE,
      ],
    },
    file("sub/a.txt"),
  ),
];
