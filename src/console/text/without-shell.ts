/** The command as the agent wrote it, without the shell that runs it. */
export function withoutShell(command: string): string {
  const inner = /^(?:\/\S+\/)?(?:ba|z|da)?sh -l?c (['"])([\s\S]*)\1$/u.exec(command);
  return inner?.[2]?.replaceAll(`'"'"'`, "'").replaceAll(String.raw`'\''`, "'") ?? command;
}
