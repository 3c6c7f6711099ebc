/** The numbers of a kind of processor that a filter of system calls is made of. */
export interface Architecture {
  /** How the kernel names it. */
  readonly audit: number;
  /** Calls from here on belong to another convention of the same processor. */
  readonly firstForeign: number;
  readonly socketpair: number;
  readonly refused: readonly number[];
}

/** Since 5.1 new calls have the same number everywhere. */
const IO_URING = [425, 426, 427];
const NO_FOREIGN = 0xffffffff;

/** socket, connect, accept, bind, listen, accept4; ptrace, process_vm_readv, process_vm_writev. */
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    firstForeign: 0x40000000,
    socketpair: 53,
    refused: [41, 42, 43, 49, 50, 288, 101, 310, 311, ...IO_URING],
  },
  arm64: {
    audit: 0xc00000b7,
    firstForeign: NO_FOREIGN,
    socketpair: 199,
    refused: [198, 203, 202, 200, 201, 242, 117, 270, 271, ...IO_URING],
  },
};

/** By Node's name for it; null for one that is not known here. */
export function architectureOf(name: string): Architecture | null {
  return ARCHITECTURES[name] ?? null;
}
