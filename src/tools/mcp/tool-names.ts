/**
 * The names under which a model calls MCP tools: letters, digits and underscores, unique, and limited in
 * length.
 */
import { createHash } from "node:crypto";

export interface ToolIdentity {
  readonly server: string;
  readonly tool: string;
}

export interface CallableName {
  readonly namespace: string;
  readonly name: string;
}

const PREFIX = "mcp__";
const MAX_LENGTH = 128;
/** Reserved for the underscores with which some models join the two parts. */
const RESERVED = 2;
const HASH_LENGTH = 12;

/** Names in the order of the identities; two tools of one server with the same name are one. */
export function nameTools<T extends ToolIdentity>(
  tools: readonly T[],
): (T & { readonly callable: CallableName })[] {
  const byIdentity = new Map(tools.map((tool) => [identityOf(tool), tool]));
  const servers = new Set(tools.map(({ server }) => server));
  const namespaces = uniqueNames([...servers], namespaceOf, (server) => `${server}\0${server}\0`);
  const named = [...byIdentity].map(([identity, tool]) => ({
    identity,
    tool,
    namespace: namespaces.get(tool.server) ?? namespaceOf(tool.server),
  }));
  const names = uniqueNames(
    named,
    ({ namespace, tool }) => `${namespace}\0${sanitizeName(tool.tool)}`,
    ({ identity }) => identity,
  );
  const used = new Set<string>();
  return named
    .sort((a, b) => (a.identity < b.identity ? -1 : 1))
    .map((each) => {
      const name = (names.get(each) ?? "").slice(each.namespace.length + 1);
      return { ...each.tool, callable: fit({ namespace: each.namespace, name }, each.identity, used) };
    });
}

function identityOf({ server, tool }: ToolIdentity): string {
  return [server, server, "", tool, tool].join("\0");
}

function namespaceOf(server: string): string {
  const name = sanitizeName(server);
  return name.startsWith(PREFIX) ? name : `${PREFIX}${name}`;
}

/**
 * The names by which users may refer to a tool, its Claude Code name first: hooks match each of them, because
 * the callable name depends on the other tools.
 */
export function namesOfTool({ server, tool }: ToolIdentity): readonly string[] {
  const join = (clean: (name: string) => string) => {
    const namespace = clean(server);
    return joinName({
      namespace: namespace.startsWith(PREFIX) ? namespace : `${PREFIX}${namespace}`,
      name: clean(tool),
    });
  };
  const claude = join((name) => name.replaceAll(/[^A-Za-z0-9_-]/gu, "_"));
  return [...new Set([claude, join(sanitizeName), join((name) => name)])];
}

/** The joined form, for providers without namespaces and for hooks. */
function joinName({ namespace, name }: CallableName): string {
  return `${namespace}__${name}`;
}

function sanitizeName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/gu, "_") || "_";
}

/** A name shared by several tools gets a hash of the identity for each of them. */
function uniqueNames<T>(
  values: readonly T[],
  nameOf: (value: T) => string,
  identify: (value: T) => string,
): Map<T, string> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(nameOf(value), (counts.get(nameOf(value)) ?? 0) + 1);
  return new Map(
    values.map((value) => {
      const name = nameOf(value);
      return [value, counts.get(name) === 1 ? name : `${name}${hashSuffix(identify(value))}`];
    }),
  );
}

function hashSuffix(identity: string): string {
  return `_${createHash("sha1").update(identity).digest("hex").slice(0, HASH_LENGTH)}`;
}

function fit({ namespace, name }: CallableName, identity: string, used: Set<string>): CallableName {
  const whole = joinName({ namespace, name });
  if (whole.length <= MAX_LENGTH && !used.has(whole)) {
    used.add(whole);
    return { namespace, name };
  }
  for (let attempt = 0; ; attempt += 1) {
    const fitted = shorten(
      { namespace, name },
      hashSuffix(attempt === 0 ? identity : `${identity}\0${attempt}`),
    );
    const joined = joinName(fitted);
    if (used.has(joined)) continue;
    used.add(joined);
    return fitted;
  }
}

function shorten({ namespace, name }: CallableName, suffix: string): CallableName {
  const room = MAX_LENGTH - namespace.length - RESERVED - suffix.length;
  if (room >= 0) return { namespace, name: name.slice(0, room) + suffix };
  return { namespace: namespace.slice(0, MAX_LENGTH - suffix.length - RESERVED), name: suffix };
}
