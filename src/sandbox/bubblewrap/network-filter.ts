/**
 * The filter of system calls for commands without network. A network namespace alone does not do: a socket in the
 * file system, such as that of a container engine or of the user's service manager, is reached without a network.
 */
import type { Architecture } from "./architecture.ts";

const ALLOW = 0x7fff0000;
const REFUSE = 0x00050001;
const KILL = 0x80000000;

const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;

/** Offsets into what the kernel shows to the filter; arguments by their lower half. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCKET_TYPES = 0xf;

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** How many instructions to skip when the comparison holds, and when it does not. */
  readonly then?: number;
  readonly otherwise?: number;
}

/**
 * Sockets are refused, and so is what could do without them: foreign memory and the ring of requests that no filter
 * sees. Pairs of connected sockets stay, because programs talk to their own children through them, but only of
 * kinds that cannot be sent elsewhere.
 */
export function networkFilter(architecture: Architecture): Buffer {
  const refuse: Instruction = { code: RETURN, value: REFUSE };
  const allow: Instruction = { code: RETURN, value: ALLOW };
  const pair: Instruction[] = [
    { code: LOAD, value: FIRST_ARGUMENT },
    { code: JUMP_EQUAL, value: AF_UNIX, then: 1 },
    refuse,
    { code: LOAD, value: SECOND_ARGUMENT },
    { code: AND, value: SOCKET_TYPES },
    { code: JUMP_EQUAL, value: SOCK_STREAM, then: 2 },
    { code: JUMP_EQUAL, value: SOCK_SEQPACKET, then: 1 },
    refuse,
    allow,
  ];
  return encode([
    { code: LOAD, value: ARCHITECTURE },
    { code: JUMP_EQUAL, value: architecture.audit, then: 1 },
    { code: RETURN, value: KILL },
    { code: LOAD, value: NUMBER },
    { code: JUMP_AT_LEAST, value: architecture.firstForeign, otherwise: 1 },
    refuse,
    ...architecture.refused.flatMap((value) => [{ code: JUMP_EQUAL, value, otherwise: 1 }, refuse]),
    { code: JUMP_EQUAL, value: architecture.socketpair, otherwise: pair.length },
    ...pair,
    allow,
  ]);
}

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
