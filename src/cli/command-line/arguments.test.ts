import { describe, expect, test } from "vitest";
import { checkOperands, parseArguments } from "./arguments.ts";
import { type Command, declareCommand, UsageError } from "./command.ts";

const spec: Command = {
  options: [
    { name: "config", short: "c", value: "key=value", repeat: true, help: "Set a value" },
    { name: "mode", value: "MODE", help: "How", choices: ["fast", "slow"] },
    {
      name: "level",
      value: "N",
      help: "How much",
      validate: (value) => (/^\d+$/.test(value) ? null : "not a number"),
    },
    { name: "quiet", help: "Say less", aliases: ["hush"] },
  ],
  subcommands: [declareCommand({ name: "go", summary: "Goes", options: [], examples: [] })],
  examples: [{ command: "program go", description: "Go" }],
};

describe("parseArguments", () => {
  test("reads options in every form, up to the subcommand", () => {
    const parsed = parseArguments(spec, [
      "-c",
      "a=1",
      "-cb=2",
      "--config=c=3",
      "--quiet",
      "--mode",
      "fast",
      "go",
      "--more",
    ]);
    expect(parsed.values("config")).toEqual(["a=1", "b=2", "c=3"]);
    expect([parsed.flag("quiet"), parsed.flag("level"), parsed.value("mode")]).toEqual([true, false, "fast"]);
    expect([parsed.subcommand?.name, parsed.rest]).toEqual(["go", ["--more"]]);
  });

  test.each([
    [["--bogus"], "unexpected argument '--bogus' found"],
    [["-x"], "unexpected argument '-x' found"],
    [["--mode"], "a value is required for '--mode <MODE>' but none was supplied"],
    [["--mode", "x"], "invalid value 'x' for '--mode <MODE>'\n  [possible values: fast, slow]"],
    [["--level=x"], "invalid value 'x' for '--level <N>': not a number"],
    [["--quiet=1"], "unexpected value '1' for '--quiet' found"],
    [["--mode", "fast", "--mode", "slow"], "the argument '--mode <MODE>' cannot be used multiple times"],
    [["stay"], "unrecognized subcommand 'stay'"],
  ])("%j is refused", (argv, message) => {
    expect(() => parseArguments(spec, argv)).toThrow(message);
  });

  test("all arguments after -- are operands if the command has any", () => {
    const { subcommands: _, ...plain } = spec;
    const parsed = parseArguments({ ...plain, operands: "[WORD...]" }, [
      "a",
      "--quiet",
      "--",
      "-b",
      "--",
      "--help",
    ]);
    expect(parsed.operands).toEqual(["a", "-b", "--", "--help"]);
    expect([parsed.flag("quiet"), parsed.wantsHelp, parsed.subcommand]).toEqual([true, false, null]);
    expect(() => parseArguments(plain, ["--"])).toThrow("unexpected argument '--' found");
  });

  test("an option with many values takes the arguments up to the next option, a dash or the end", () => {
    const images: Command = {
      ...spec,
      operands: "[WORD]",
      options: [
        ...spec.options,
        { name: "image", short: "i", value: "FILE", repeat: true, many: true, help: "" },
      ],
    };
    const read = (argv: readonly string[]) => {
      const parsed = parseArguments(images, argv);
      return [parsed.values("image"), parsed.operands, parsed.subcommand, parsed.rest];
    };
    expect(read(["-i", "a", "b", "--image=c", "d", "--quiet", "x"])).toEqual([
      ["a", "b", "c", "d"],
      ["x"],
      null,
      [],
    ]);
    expect(read(["-i", "a", "--", "b"])).toEqual([["a"], ["b"], null, []]);
    expect(read(["-i", "a", "-"])).toEqual([["a"], ["-"], null, []]);
  });

  test("a command with operands finds a subcommand by its name, but not after --", () => {
    const mixed: Command = { ...spec, operands: "[WORD]" };
    const read = (argv: readonly string[]) => {
      const { operands, subcommand, rest } = parseArguments(mixed, argv);
      return [operands, subcommand?.name ?? null, rest];
    };
    expect(read(["stay"])).toEqual([["stay"], null, []]);
    expect(read(["stay", "go", "--more"])).toEqual([["stay"], "go", ["--more"]]);
    expect(read(["--", "go"])).toEqual([["go"], null, []]);
  });

  test("an alias selects its option", () => {
    expect(parseArguments(spec, ["--hush"]).flag("quiet")).toBe(true);
    expect(() => parseArguments(spec, ["--hush", "--quiet"])).toThrow(
      "'--quiet' cannot be used multiple times",
    );
  });

  test("a command without operands rejects an argument", () => {
    const { subcommands: _, ...plain } = spec;
    expect(() => parseArguments(plain, ["word"])).toThrow("unexpected argument 'word' found");
  });
});

test.each([
  [["--quite"], "a similar argument exists: '--quiet'"],
  [["--hus"], "a similar argument exists: '--hush'"],
  [["--mode", "fats"], "a similar value exists: 'fast'"],
  [["g"], "a similar subcommand exists: 'go'"],
  [["zz"], null],
  [["og"], "a similar subcommand exists: 'go'"],
  [["--nothing-like-it"], null],
])("%j comes with a tip", (argv, tip) => {
  expect(usageError(() => parseArguments(spec, argv)).tip).toBe(tip);
});

test("an unknown option suggests -- for an operand with a dash", () => {
  const { tip } = usageError(() => parseArguments({ ...spec, operands: "[WORD]" }, ["-5 degrees"]));
  expect(tip).toBe("to pass '-5 degrees' as a value, use '-- -5 degrees'");
});

test("an unsupported option is rejected with an alternative", () => {
  const command: Command = { ...spec, options: [{ name: "fly", help: "", unsupported: "walk" }] };
  expect(() => parseArguments(command, ["--fly"])).toThrow("the argument '--fly' is not supported: walk");
});

describe("the number of operands", () => {
  const { subcommands: _, ...plain } = spec;
  test.each([
    ["<A> [B]", [], "the following required arguments were not provided: <A>"],
    ["<A> <B>", ["a"], "the following required arguments were not provided: <B>"],
    ["<A> [B]", ["a"], null],
    ["<A> [B]", ["a", "b"], null],
    ["<A> [B]", ["a", "b", "c"], "unexpected argument 'c' found"],
    ["[A]", ["--", "a", "--b"], "unexpected argument '--b' found"],
    ["<A> [B...]", ["a", "b", "c", "d"], null],
  ])("%s with %j", (operands, argv, message) => {
    const command: Command = { ...plain, operands };
    const read = () => checkOperands(command, parseArguments(command, argv));
    if (message === null) expect(read).not.toThrow();
    else expect(read).toThrow(message);
  });
});

function usageError(run: () => unknown): UsageError {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error;
  }
  throw new Error("it was not refused");
}
