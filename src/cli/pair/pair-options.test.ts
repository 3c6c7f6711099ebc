import { expect, test } from "vitest";
import type { ParsedArguments } from "../command-line/command.ts";
import { noteAbout, pairOptions, readAddress, readGrant } from "./pair-options.ts";

const argsOf = (values: Readonly<Record<string, string>>) =>
  ({ value: (name: string) => values[name] }) as ParsedArguments;

test("without options a device may read, answer and operate, until it is revoked", () => {
  expect(readGrant(argsOf({}))).toEqual({
    name: "device",
    subject: null,
    scopes: ["read", "answer", "operate"],
    lifetimeMs: null,
  });
});

test("options name the device, its person, its scopes and its time", () => {
  const given = argsOf({ name: "phone", subject: "ana", scope: "answer,read", expires: "30d" });
  expect(readGrant(given)).toEqual({
    name: "phone",
    subject: "ana",
    scopes: ["read", "answer"],
    lifetimeMs: 30 * 24 * 3_600_000,
  });
});

test.each([
  ["scope", "read,write"],
  ["scope", ""],
  ["expires", "0d"],
  ["expires", "30"],
  ["expires", "12345h"],
  ["url", "heddle.example"],
  ["url", "https://heddle.example/path"],
  ["url", "https://user@heddle.example"],
  ["url", "javascript:alert(1)"],
])("--%s %s is refused", (name, value) => {
  expect(pairOptions.find((option) => option.name === name)?.validate?.(value)).toMatch(/^expected /u);
});

test("the address has no slash at its end, and is one of this machine by default", () => {
  expect(readAddress(argsOf({ url: "https://heddle.example/" }))).toBe("https://heddle.example");
  expect(readAddress(argsOf({}))).toMatch(/^http:\/\/[\d.]+:4510$/u);
});

test.each([
  ["https://heddle.example", null],
  ["http://127.0.0.1:4510", /this machine only/u],
  ["http://[::1]:4510", /this machine only/u],
  ["http://192.0.2.5:4510", /no notifications[\s\S]*--tls-cert/u],
])("the note about %s is %s", (address, note) => {
  if (note === null) expect(noteAbout(address)).toBeNull();
  else expect(noteAbout(address)).toMatch(note);
});
