/**
 * The seccomp filters for sandboxed commands. Without network, a network namespace alone is not sufficient: a unix socket
 * in the file system, such as that of a container engine or the user's service manager, is reachable without one. With
 * and without network, no file gets a set-user-id bit: a nosuid mount applies only inside the sandbox, and outside such a
 * file would let every user run code as the server's user.
 */

const RETURN_ALLOW = 0x7fff0000;
const RETURN_EPERM = 0x00050001;
/** ENOSYS, as from a kernel without the call: programs then fall back to an older one. */
const RETURN_ENOSYS = 0x00050026;
const RETURN_KILL = 0x80000000;

const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;

/** Offsets into `struct seccomp_data`; for arguments, of the lower 32 bits. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCKET_TYPES = 0xf;
const SET_ID_BITS = 0o6000;
/** O_CREAT and O_TMPFILE: without them the kernel ignores the mode. */
const CREATE_FLAGS = 0x40_0040;

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** The number of instructions to skip if the comparison is true or false. */
  readonly then?: number;
  readonly otherwise?: number;
}

const refuse: Instruction = { code: RETURN, value: RETURN_EPERM };
const allow: Instruction = { code: RETURN, value: RETURN_ALLOW };

export interface FilterOptions {
  readonly network: boolean;
}

export function seccompFilter(architecture: Architecture, { network }: FilterOptions): Buffer {
  const refused = [...architecture.ioUring, ...(network ? [] : architecture.sockets)];
  return encode([
    { code: LOAD, value: ARCHITECTURE },
    { code: JUMP_EQUAL, value: architecture.audit, then: 1 },
    { code: RETURN, value: RETURN_KILL },
    { code: LOAD, value: NUMBER },
    { code: JUMP_AT_LEAST, value: architecture.firstForeign, otherwise: 1 },
    refuse,
    ...refused.flatMap((number) => onCall(number, [refuse])),
    // Its mode is passed in memory, which a filter cannot read.
    ...onCall(architecture.openat2, [{ code: RETURN, value: RETURN_ENOSYS }]),
    ...architecture.modes.flatMap(({ number, mode, flags }) => onCall(number, refuseSetId(mode, flags))),
    ...(network ? [] : onCall(architecture.socketpair, ALLOW_CONNECTED_PAIRS)),
    allow,
  ]);
}

/** The instructions for one call; they must end with a return, because they may have overwritten the loaded call number. */
function onCall(number: number, verdict: readonly Instruction[]): Instruction[] {
  return [{ code: JUMP_EQUAL, value: number, otherwise: verdict.length }, ...verdict];
}

/** Refuses a mode with a set-id bit; for calls with flags only if they create a file. */
function refuseSetId(mode: number, flags?: number): Instruction[] {
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
    { code: AND, value: CREATE_FLAGS },
    { code: JUMP_EQUAL, value: 0, then: check.length - 1 },
    ...check,
  ];
}

/**
 * Socket pairs are allowed, because programs communicate with their children through them, but only connection-oriented
 * types, which cannot send to other addresses.
 */
const ALLOW_CONNECTED_PAIRS: readonly Instruction[] = [
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

const INSTRUCTION_BYTES = 8;

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES);
  instructions.forEach(({ code, value, then = 0, otherwise = 0 }, index) => {
    bytes.writeUInt16LE(code, index * INSTRUCTION_BYTES);
    bytes.writeUInt8(then, index * INSTRUCTION_BYTES + 2);
    bytes.writeUInt8(otherwise, index * INSTRUCTION_BYTES + 3);
    bytes.writeUInt32LE(value, index * INSTRUCTION_BYTES + 4);
  });
  return bytes;
}

/** The architecture-specific numbers of a seccomp filter. */
export interface Architecture {
  /** The AUDIT_ARCH value. */
  readonly audit: number;
  /** Call numbers from here on belong to another ABI of the same processor. */
  readonly firstForeign: number;
  readonly socketpair: number;
  /** Socket calls, and calls that could replace them by accessing the memory of another process. */
  readonly sockets: readonly number[];
  /** io_uring, whose requests bypass seccomp. */
  readonly ioUring: readonly number[];
  readonly openat2: number;
  /** Calls that set the mode of a file. */
  readonly modes: readonly ModeCall[];
}

interface ModeCall {
  readonly number: number;
  /** The index of the mode argument, and of the flags that determine whether it is used. */
  readonly mode: number;
  readonly flags?: number;
}

/** Since Linux 5.1 new calls have the same number on all architectures. */
const IO_URING = [425, 426, 427];
const OPENAT2 = 437;
const FCHMODAT2: ModeCall = { number: 452, mode: 2 };
const NO_FOREIGN = 0xffffffff;

/**
 * Sockets: socket, connect, accept, bind, listen, accept4; ptrace, process_vm_readv, process_vm_writev. Modes: chmod,
 * fchmod, fchmodat, mknod, mknodat, creat, open, openat, as far as the architecture has them.
 */
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    firstForeign: 0x40000000,
    socketpair: 53,
    sockets: [41, 42, 43, 49, 50, 288, 101, 310, 311],
    ioUring: IO_URING,
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
    ioUring: IO_URING,
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

/** Looks up an architecture by Node's name; null if it is not supported. */
export function architectureOf(name: string): Architecture | null {
  return ARCHITECTURES[name] ?? null;
}
