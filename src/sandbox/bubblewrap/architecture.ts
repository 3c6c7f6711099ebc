/** The numbers of a kind of processor that a filter of system calls is made of. */
export interface Architecture {
  /** How the kernel names it. */
  readonly audit: number;
  /** Calls from here on belong to another convention of the same processor. */
  readonly firstForeign: number;
  readonly socketpair: number;
  /** Sockets, and what could do without them: the memory of another process. */
  readonly sockets: readonly number[];
  /** The ring of requests that no filter sees. */
  readonly rings: readonly number[];
  readonly openat2: number;
  /** Calls that give a file its mode. */
  readonly modes: readonly ModeCall[];
}

interface ModeCall {
  readonly number: number;
  /** Which argument is the mode, and which the flags that say whether it counts. */
  readonly mode: number;
  readonly flags?: number;
}

/** Since 5.1 new calls have the same number everywhere. */
const RINGS = [425, 426, 427];
const OPENAT2 = 437;
const FCHMODAT2: ModeCall = { number: 452, mode: 2 };
const NO_FOREIGN = 0xffffffff;

/**
 * Sockets: socket, connect, accept, bind, listen, accept4; ptrace, process_vm_readv, process_vm_writev. Modes: chmod,
 * fchmod, fchmodat, mknod, mknodat, creat, open, openat, as far as the processor has them.
 */
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    firstForeign: 0x40000000,
    socketpair: 53,
    sockets: [41, 42, 43, 49, 50, 288, 101, 310, 311],
    rings: RINGS,
    openat2: OPENAT2,
    modes: [
      { number: 90, mode: 1 },
      { number: 91, mode: 1 },
      { number: 268, mode: 2 },
      { number: 133, mode: 1 },
      { number: 259, mode: 2 },
      { number: 85, mode: 1 },
      { number: 2, mode: 2, flags: 1 },
      { number: 257, mode: 3, flags: 2 },
      FCHMODAT2,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    firstForeign: NO_FOREIGN,
    socketpair: 199,
    sockets: [198, 203, 202, 200, 201, 242, 117, 270, 271],
    rings: RINGS,
    openat2: OPENAT2,
    modes: [
      { number: 52, mode: 1 },
      { number: 53, mode: 2 },
      { number: 33, mode: 2 },
      { number: 56, mode: 3, flags: 2 },
      FCHMODAT2,
    ],
  },
};

/** By Node's name for it; null for one that is not known here. */
export function architectureOf(name: string): Architecture | null {
  return ARCHITECTURES[name] ?? null;
}
