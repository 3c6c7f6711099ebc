import { joinWords } from "../../base/shlex.ts";

/** What a model may ask for beyond its sandbox. */
export interface WantedPermissions {
  readonly network: boolean;
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** In words; empty when it is nothing. */
export function permissionWords({ network, read, write }: WantedPermissions): string {
  return [
    ...(network ? ["the network"] : []),
    ...(read.length === 0 ? [] : [`read ${joinWords(read)}`]),
    ...(write.length === 0 ? [] : [`write ${joinWords(write)}`]),
  ].join(", ");
}
