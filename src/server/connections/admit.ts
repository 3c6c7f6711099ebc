/** Decides whether a connection may make a request: its row, its params, the handshake, and what its token allows. */
import type { RequestMessage } from "../../jsonrpc/message.ts";
import type { Checker } from "../../protocol/check.ts";
import { describeValue } from "../../protocol/compile-scalar.ts";
import { type RequestRow, requestRows } from "../../protocol/generated/table.ts";
import { peerMethods } from "../../protocol/peer-methods.ts";
import { audited, type RecordAudit } from "./audited.ts";
import type { ClientConnection } from "./client-connection.ts";
import {
  forbidden,
  invalidParams,
  invalidRequest,
  type RequestContext,
  type RequestMethod,
} from "./handler.ts";
import { type KnowsFolder, withinRights } from "./limited-rights.ts";
import { type MethodHandlers, NotSupported } from "./unserved-methods.ts";
import { withinOwnThreads } from "./within-own-threads.ts";

export interface AdmissionOptions {
  readonly handlers: MethodHandlers;
  readonly checker: Checker;
  readonly knowsFolder: KnowsFolder;
  readonly recordAudit: RecordAudit;
}

export interface AdmittedRequest {
  readonly row: RequestRow;
  readonly handler: UntypedHandler;
}

/** A handler whose params have been checked against its row. */
export type UntypedHandler = (params: unknown, context: RequestContext) => unknown;

/** Returns the row and the handler of a request that its connection may make now, or throws why it may not. */
export function admit(
  connection: ClientConnection,
  { method, params }: RequestMessage,
  { checker, handlers, knowsFolder, recordAudit }: AdmissionOptions,
): AdmittedRequest {
  replaceLegacyPolicy(params);
  const row = Object.hasOwn(requestRows, method) ? requestRows[method as RequestMethod] : null;
  if (row === null && !peerMethods.includes(method)) {
    throw invalidRequest(
      `Invalid request: unknown variant \`${method}\`, expected one of ${quotedMethods()}`,
    );
  }
  const experimentalUse = row === null ? null : checkParams(row, params, checker);
  refusePhase(connection, method, row?.stability === "experimental" ? method : experimentalUse);
  if (row !== null) {
    refuseRemovedMember(method, row, params);
    refuseScope(connection, method, row);
  }
  const handler = handlers[method as RequestMethod];
  if (row === null || handler === undefined) throw new NotSupported(method);
  // The params have just been checked against this method's row, from which the handler's type is derived.
  const admitted = { row, handler: handler as UntypedHandler };
  if (!connection.isLimited) return admitted;
  return { row, handler: limitHandler(connection, { method, ...admitted }, { knowsFolder, recordAudit }) };
}

function limitHandler(
  connection: ClientConnection,
  { method, row, handler }: AdmittedRequest & { readonly method: string },
  { knowsFolder, recordAudit }: Pick<AdmissionOptions, "knowsFolder" | "recordAudit">,
): UntypedHandler {
  const { scopes, own } = connection;
  const recorded =
    row.isAudited === true ? audited(method, handler, { connection, record: recordAudit }) : handler;
  const isChecked = !scopes.has("admin") && namesFolders(method, row);
  const limited = isChecked ? withinRights(method, recorded, knowsFolder) : recorded;
  return own === null ? limited : withinOwnThreads(method, limited, own);
}

/** Whether a request may name a folder to work in or to read. That of `thread/list` is a filter. */
function namesFolders(method: string, { scope }: RequestRow): boolean {
  return scope === "operate" || (scope === "read" && method !== "thread/list");
}

/** `experimentalUse` is the method, or the member of its params, that needs the experimental capability. */
function refusePhase({ handshake }: ClientConnection, method: string, experimentalUse: string | null): void {
  if (method === "initialize") {
    if (handshake.phase !== "new") throw invalidRequest("Already initialized");
  } else if (handshake.phase !== "ready") throw invalidRequest("Not initialized");
  else if (!handshake.experimental && experimentalUse !== null)
    throw invalidRequest(`${experimentalUse} requires experimentalApi capability`);
}

function refuseScope({ scopes }: ClientConnection, method: string, { scope }: RequestRow): void {
  if (scopes.has(scope)) return;
  throw forbidden(`${method} needs the scope ${scope}, which this connection does not have`, {
    method,
    scope,
  });
}

/** The legacy policy `on-failure` is replaced by the closest current one, also in a queued turn. */
function replaceLegacyPolicy(params: unknown): void {
  for (const overrides of [params, memberOf(params, "turnStartParams")])
    if (memberOf(overrides, "approvalPolicy") === "on-failure")
      (overrides as { approvalPolicy: string }).approvalPolicy = "on-request";
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Unknown members are ignored, except removed ones that a client may still rely on. */
function refuseRemovedMember(method: string, { removed }: RequestRow, params: unknown): void {
  if (removed === undefined) return;
  const { name, within, instead } = removed;
  const given = within === undefined ? params : memberOf(params, within);
  if (!Object.hasOwn(Object(given), name)) return;
  throw invalidParams(`\`${name}\` is no longer supported for \`${method}\`; ${instead}`);
}

/** Returns the experimental member that the params use, if any. */
function checkParams(row: RequestRow, params: unknown, checker: Checker): string | null {
  if (params === undefined || params === null) {
    if (row.paramsOptional === true) return null;
    throw invalidRequest("Invalid request: missing field `params`");
  }
  if (row.params === null) {
    const isEmpty = typeof params === "object" && !Array.isArray(params) && Object.keys(params).length === 0;
    if (isEmpty) return null;
    throw invalidRequest(`Invalid request: invalid type: ${describeValue(params)}, expected unit`);
  }
  const verdict = checker.check(row.params, params);
  if (!verdict.ok) throw invalidRequest(`Invalid request: ${verdict.message}`);
  return verdict.experimental;
}

function quotedMethods(): string {
  return peerMethods.map((method) => `\`${method}\``).join(", ");
}
