/**
 * The filters of system calls for confined commands. Without network, a network namespace alone does not do: a socket
 * in the file system, such as that of a container engine or of the user's service manager, is reached without one.
 * With and without, no file gets a set-user-id bit: a mount can keep it from counting inside of the sandbox only, and
 * outside it would lend the server's user to everybody.
 */

const ALLOW = 0x7fff0000;
const REFUSE = 0x00050001;
/** As a kernel answers that does not know the call: programs then use an older one. */
const UNKNOWN = 0x00050026;
const KILL = 0x80000000;

const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;

/** Offsets into what the kernel shows to the filter; arguments by their lower half. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCKET_TYPES = 0xf;
const SET_ID_BITS = 0o6000;
/** O_CREAT and O_TMPFILE: without them the kernel does not look at the mode. */
const CREATING = 0x40_0040;

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** How many instructions to skip when the comparison holds, and when it does not. */
  readonly then?: number;
  readonly otherwise?: number;
}

const refuse: Instruction = { code: RETURN, value: REFUSE };
const allow: Instruction = { code: RETURN, value: ALLOW };

export interface FilterOptions {
  readonly network: boolean;
}

export function seccompFilter(architecture: Architecture, { network }: FilterOptions): Buffer {
  const refused = [...architecture.rings, ...(network ? [] : architecture.sockets)];
  return encode([
    { code: LOAD, value: ARCHITECTURE },
    { code: JUMP_EQUAL, value: architecture.audit, then: 1 },
    { code: RETURN, value: KILL },
    { code: LOAD, value: NUMBER },
    { code: JUMP_AT_LEAST, value: architecture.firstForeign, otherwise: 1 },
    refuse,
    ...refused.flatMap((number) => onCall(number, [refuse])),
    // Its mode lies in memory, where no filter sees it.
    ...onCall(architecture.openat2, [{ code: RETURN, value: UNKNOWN }]),
    ...architecture.modes.flatMap(({ number, mode, flags }) => onCall(number, withoutSetId(mode, flags))),
    ...(network ? [] : onCall(architecture.socketpair, CONNECTED_PAIR)),
    allow,
  ]);
}

/** What is done about one call; it ends with a verdict, because it may have looked at something else than the number. */
function onCall(number: number, verdict: readonly Instruction[]): Instruction[] {
  return [{ code: JUMP_EQUAL, value: number, otherwise: verdict.length }, ...verdict];
}

/** Refuses a mode with a set-id bit; of calls with flags only where they make a file. */
function withoutSetId(mode: number, flags?: number): Instruction[] {
  const check: Instruction[] = [
    { code: LOAD, value: argument(mode) },
    { code: AND, value: SET_ID_BITS },
    { code: JUMP_EQUAL, value: 0, then: 1 },
    refuse,
    allow,
  ];
  if (flags === undefined) return check;
  return [
    { code: LOAD, value: argument(flags) },
    { code: AND, value: CREATING },
    { code: JUMP_EQUAL, value: 0, then: check.length - 1 },
    ...check,
  ];
}

/**
 * Pairs of connected sockets stay, because programs talk to their own children through them, but only of kinds that
 * cannot be sent elsewhere.
 */
const CONNECTED_PAIR: readonly Instruction[] = [
  { code: LOAD, value: argument(0) },
  { code: JUMP_EQUAL, value: AF_UNIX, then: 1 },
  refuse,
  { code: LOAD, value: argument(1) },
  { code: AND, value: SOCKET_TYPES },
  { code: JUMP_EQUAL, value: SOCK_STREAM, then: 2 },
  { code: JUMP_EQUAL, value: SOCK_SEQPACKET, then: 1 },
  refuse,
  allow,
];

const SIZE = 8;

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * SIZE);
  instructions.forEach(({ code, value, then = 0, otherwise = 0 }, index) => {
    bytes.writeUInt16LE(code, index * SIZE);
    bytes.writeUInt8(then, index * SIZE + 2);
    bytes.writeUInt8(otherwise, index * SIZE + 3);
    bytes.writeUInt32LE(value, index * SIZE + 4);
  });
  return bytes;
}

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
