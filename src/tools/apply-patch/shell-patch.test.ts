import { describe, expect, test } from "vitest";
import { patchOf } from "./patch-folder.fixture.ts";
import { parseShellApplyPatch } from "./shell-patch.ts";

const PATCH = patchOf("*** Add File: a", "+x");
const heredoc = (head: string, end = "EOF") => `${head}\n${PATCH}\n${end}`;
const found = (folder?: string) => ({ kind: "patch", text: PATCH, folder });
const implicit = {
  kind: "refused",
  message:
    'apply_patch verification failed: patch detected without explicit call to apply_patch. Rerun as ["apply_patch", "<patch>"]',
};

describe("a command is a patch", () => {
  test.each<[string, string, string?]>([
    ["with a quoted heredoc", heredoc("apply_patch <<'EOF'")],
    ["with a heredoc in double quotes", heredoc('apply_patch <<"EOF"')],
    ["with a bare heredoc", heredoc("apply_patch <<EOF")],
    ["by its other name", heredoc("applypatch <<'PATCH'", "PATCH")],
    ["with white space before and after", `\n ${heredoc("apply_patch <<'EOF'")}\n\n`],
    ["without spaces", heredoc("apply_patch<<EOF")],
    ["with tabs that the shell removes", heredoc("apply_patch <<-EOF", "\tEOF")],
    ["with a dash for the input", heredoc("apply_patch - <<EOF")],
    ["with carriage returns", heredoc("apply_patch <<EOF").replaceAll("\n", "\r\n")],
    ["in a folder", heredoc("cd foo && apply_patch <<'EOF'"), "foo"],
    ["in a folder in single quotes", heredoc("cd 'foo bar' && apply_patch <<'EOF'"), "foo bar"],
    ["in a folder in double quotes", heredoc('cd "foo bar" && apply_patch <<EOF'), "foo bar"],
    ["in a folder with a line break", heredoc("cd foo &&\napply_patch <<'EOF'"), "foo"],
  ])("%s", (_, script, folder) => {
    expect(parseShellApplyPatch(["bash", "-lc", script])).toEqual(found(folder));
  });

  test.each([
    [["/bin/zsh", "-c"]],
    [["sh", "-lc"]],
    [["powershell.exe", "-NoProfile", "-Command"]],
    [["C:\\bin\\pwsh.exe", "-command"]],
    [["cmd.exe", "/C"]],
  ])("through %j", (shell) => {
    expect(parseShellApplyPatch([...shell, heredoc("apply_patch <<'EOF'")])).toEqual(found());
  });

  test("as a program with the patch as its argument", () => {
    expect(parseShellApplyPatch(["apply_patch", PATCH])).toEqual(found());
  });
});

describe("a command is left to the shell", () => {
  test.each([
    ["cd foo; apply_patch <<'EOF'"],
    ["cd foo || apply_patch <<'EOF'"],
    ["cd foo | apply_patch <<'EOF'"],
    ["cd foo bar && apply_patch <<'EOF'"],
    ["cd $HOME && apply_patch <<'EOF'"],
    ['cd "$HOME" && apply_patch <<EOF'],
    ["cd ~/x && apply_patch <<'EOF'"],
    ["cd * && apply_patch <<'EOF'"],
    ["cd -P x && apply_patch <<'EOF'"],
    ["cd a && cd b && apply_patch <<'EOF'"],
    ["echo x && apply_patch <<'EOF'"],
    ["apply_patch foo <<'EOF'"],
    ["apply_patch <<'EOF' > out"],
    ["apply_patch <<'EOF' && echo x"],
    ["apply_patch <<'EOF' | cat"],
    ["apply_patch <<'EOF' # remark"],
    ["# remark\napply_patch <<'EOF'"],
    ["./apply_patch <<'EOF'"],
  ])("for %j", (head) => {
    expect(parseShellApplyPatch(["bash", "-lc", heredoc(head)])).toEqual({ kind: "none" });
  });

  test("for a heredoc that does not end, or does not end the script", () => {
    const open = `apply_patch <<'EOF'\n${PATCH}`;
    expect(parseShellApplyPatch(["bash", "-lc", open])).toEqual({ kind: "none" });
    const more = `${heredoc("apply_patch <<'EOF'")}\necho x`;
    expect(parseShellApplyPatch(["bash", "-lc", more])).toEqual({ kind: "none" });
  });

  test.each([[["ls"]], [["bash", "-x", heredoc("apply_patch <<EOF")]], [["bash", "-lc"]], [[]]])(
    "for %j",
    (argv) => {
      expect(parseShellApplyPatch(argv)).toEqual({ kind: "none" });
    },
  );
});

describe("a command is refused", () => {
  test("that is a patch and nothing else", () => {
    expect(parseShellApplyPatch([PATCH])).toMatchObject(implicit);
    expect(parseShellApplyPatch(["bash", "-lc", PATCH])).toMatchObject(implicit);
  });

  test("whose patch cannot be read", () => {
    expect(parseShellApplyPatch(["bash", "-lc", "apply_patch <<EOF\nbad\nEOF"])).toMatchObject({
      kind: "refused",
      message:
        "apply_patch verification failed: invalid patch: The first line of the patch must be '*** Begin Patch'",
    });
  });
});
