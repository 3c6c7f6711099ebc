import { expect, test } from "vitest";
import { bubblewrapArguments } from "./bubblewrap.ts";

const usual = { mounts: [], network: false, newProc: true, newSession: true, filterDescriptor: 9 } as const;

test("a read-only sandbox", () => {
  expect(bubblewrapArguments(usual).join(" ")).toBe(
    "--ro-bind / / --dev /dev --unshare-user --unshare-pid --unshare-ipc --unshare-net --proc /proc --ro-bind-try /proc/sys /proc/sys --ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger --new-session --seccomp 9 --die-with-parent --cap-drop ALL --",
  );
});

test("every kind of mount, in the order of the plan", () => {
  const args = bubblewrapArguments({
    ...usual,
    mounts: [
      { kind: "writable", path: "/a" },
      { kind: "readOnly", path: "/a/b" },
      { kind: "mask", path: "/a/c" },
      { kind: "hidden", path: "/d" },
    ],
    network: true,
    newProc: false,
    newSession: false,
    filterDescriptor: null,
  });
  expect(args.join(" ")).toBe(
    "--ro-bind / / --dev /dev --bind /a /a --ro-bind /a/b /a/b --perms 555 --tmpfs /a/c --remount-ro /a/c --perms 000 --tmpfs /d --remount-ro /d --unshare-user --unshare-pid --unshare-ipc --die-with-parent --cap-drop ALL --",
  );
});

test("a writable root file system keeps the sandbox's own /dev", () => {
  const args = bubblewrapArguments({ ...usual, mounts: [{ kind: "writable", path: "/" }] });
  expect(args.slice(0, 6)).toEqual(["--bind", "/", "/", "--dev", "/dev", "--unshare-user"]);
});
