import { describe, expect, test } from "vitest";
import { architectureOf, seccompFilter } from "./seccomp-filter.ts";

const X64 = 0xc000003e;
const I386 = 0x40000003;
const verdicts: Readonly<Record<number, string>> = {
  0x7fff0000: "allow",
  0x00050001: "refuse",
  0x00050026: "unknown",
  0x80000000: "kill",
};

/** Runs the filter as the kernel does. */
function judge(program: Buffer, call: { arch: number; number: number; args?: readonly number[] }): string {
  const seen = new Map([
    [0, call.number],
    [4, call.arch],
    ...[0, 1, 2, 3].map((index) => [16 + 8 * index, call.args?.[index] ?? 0] as const),
  ]);
  let register = 0;
  for (let at = 0; ; at += 8) {
    const value = program.readUInt32LE(at + 4);
    const jump = (holds: boolean) => (at += 8 * program.readUInt8(at + (holds ? 2 : 3)));
    switch (program.readUInt16LE(at)) {
      case 0x20:
        register = seen.get(value) ?? 0;
        break;
      case 0x54:
        register &= value;
        break;
      case 0x15:
        jump(register === value);
        break;
      case 0x35:
        jump(register >= value);
        break;
      case 0x06:
        return verdicts[value] ?? `${value}`;
      default:
        throw new Error("no such instruction");
    }
  }
}

const x64 = architectureOf("x64");
if (x64 === null) throw new Error("x64 is known");
const program = seccompFilter(x64, { network: false });
const NONBLOCK = 0o4000;

describe("the filter for commands without network", () => {
  test.each([
    ["reading", { number: 0 }, "allow"],
    ["a socket of the internet", { number: 41, args: [2, 1] }, "refuse"],
    ["a local socket", { number: 41, args: [1, 1] }, "refuse"],
    ["a connection", { number: 42 }, "refuse"],
    ["a pair of local streams", { number: 53, args: [1, 1 | NONBLOCK] }, "allow"],
    ["a pair of local packet streams", { number: 53, args: [1, 5] }, "allow"],
    ["a pair that can send elsewhere", { number: 53, args: [1, 2] }, "refuse"],
    ["a pair that can send elsewhere by its other name", { number: 53, args: [1, 3] }, "refuse"],
    ["a pair of another family", { number: 53, args: [2, 1] }, "refuse"],
    ["a ring of requests", { number: 425 }, "refuse"],
    ["another process's memory", { number: 310 }, "refuse"],
    ["a call of the other convention", { number: 0x40000029, args: [2, 1] }, "refuse"],
    ["sending over a pair", { number: 44 }, "allow"],
  ])("%s", (_, call, verdict) => {
    expect(judge(program, { arch: X64, ...call })).toBe(verdict);
  });

  test.each([
    ["taking bits away", { number: 90, args: [0, 0o755] }, "allow"],
    ["chmod u+s", { number: 90, args: [0, 0o4755] }, "refuse"],
    ["chmod g+s", { number: 90, args: [0, 0o2755] }, "refuse"],
    ["a sticky bit", { number: 90, args: [0, 0o1777] }, "allow"],
    ["fchmod", { number: 91, args: [3, 0o4755] }, "refuse"],
    ["fchmodat", { number: 268, args: [3, 0, 0o4755] }, "refuse"],
    ["fchmodat2", { number: 452, args: [3, 0, 0o4755] }, "refuse"],
    ["mknod", { number: 133, args: [0, 0o104755] }, "refuse"],
    ["a file that is made with the bit", { number: 257, args: [3, 0, 0o101, 0o4755] }, "refuse"],
    [
      "a file without a name that is made with the bit",
      { number: 2, args: [0, 0o20200002, 0o4755] },
      "refuse",
    ],
    ["a file that is made", { number: 257, args: [3, 0, 0o101, 0o644] }, "allow"],
    ["opening, with a mode that does not count", { number: 257, args: [3, 0, 0, 0o4755] }, "allow"],
    ["an open whose mode no filter sees", { number: 437 }, "unknown"],
  ])("set-user-id bits, with and without network: %s", (_, call, verdict) => {
    const both = [false, true].map((network) =>
      judge(seccompFilter(x64, { network }), { arch: X64, ...call }),
    );
    expect(both).toEqual([verdict, verdict]);
  });

  test("with network access sockets are allowed, and io_uring is still denied", () => {
    const open = seccompFilter(x64, { network: true });
    expect([41, 42, 53, 425].map((number) => judge(open, { arch: X64, number }))).toEqual([
      "allow",
      "allow",
      "allow",
      "refuse",
    ]);
  });

  test("a program for another architecture is killed", () => {
    expect(judge(program, { arch: I386, number: 3 })).toBe("kill");
  });

  test("there is a filter for every supported architecture, and none for others", () => {
    const arm = architectureOf("arm64");
    expect(arm && judge(seccompFilter(arm, { network: false }), { arch: 0xc00000b7, number: 198 })).toBe(
      "refuse",
    );
    expect(architectureOf("s390x")).toBeNull();
  });
});
