/** The settings that attacks of confined commands start from. */

export const WORKSPACE = { sandbox: "workspace-write", approvalPolicy: "never" };

/** The temporary folder is where the grounds of attacks are, so that it often has to be out of bounds. */
export function onlyTheWorkspace(more = ""): string {
  return `[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n${more}`;
}
