/** Settings for attacks of sandboxed commands. */

export const WORKSPACE = { sandbox: "workspace-write", approvalPolicy: "never" };

/** The homes of attacks are in the temporary folder, so that it must often be excluded. */
export function workspaceOnly(more = ""): string {
  return `[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n${more}`;
}
