/** The routes of a listener as data. */
import {
  type AnswerHeaders,
  type FoundRoute,
  type HttpAccess,
  type HttpAnswer,
  type HttpRoutes,
  plainAnswer,
  type RouteRequest,
} from "../../transport/http-routes.ts";
import type { TokenHolder } from "../../transport/token-holder.ts";

export interface Route {
  /** `GET` includes `HEAD`. */
  readonly methods: readonly HttpMethod[];
  /** A segment in braces is a parameter, as in `/threads/{id}/events`. */
  readonly path: string;
  readonly access: HttpAccess;
  /** Part of every answer on the path, also of refusals. */
  readonly headers?: (request: RouteRequest) => AnswerHeaders;
  answer(request: RouteRequest, params: RouteParams, holder: TokenHolder | null): Promise<HttpAnswer>;
}

export type HttpMethod = "GET" | "POST" | "PUT" | "DELETE" | "OPTIONS";

/** The decoded parameters of a path by their names. */
export type RouteParams = Readonly<Record<string, string>>;

interface Match {
  readonly route: Route;
  readonly params: RouteParams;
}

/** The peer answers so, and clients may have seen it. */
const NOT_SERVED: FoundRoute = {
  access: "anyone",
  headers: {},
  answer: async () => plainAnswer(400, "Connection header did not include 'upgrade'"),
};

export function createRouteTable(routes: readonly Route[]): HttpRoutes {
  const patterns = routes.map((route) => ({ route, segments: route.path.split("/") }));
  return {
    find(request) {
      const segments = request.path.split("/");
      const onPath = patterns.flatMap(({ route, segments: pattern }): Match[] => {
        const params = matchSegments(pattern, segments);
        return params === null ? [] : [{ route, params }];
      });
      const [first] = onPath;
      if (first === undefined) return NOT_SERVED;
      const match = onPath.find(({ route }) => methodsOf(route).includes(request.method));
      if (match === undefined) return refuseMethod(request, onPath);
      const { route, params } = match;
      return {
        access: route.access,
        headers: route.headers?.(request) ?? {},
        answer: (holder) => route.answer(request, params, holder),
      };
    },
  };
}

/** Needs the access that reading needs, so that a refusal shows nothing about a path to callers without a token. */
function refuseMethod(request: RouteRequest, onPath: readonly Match[]): FoundRoute {
  const routes = onPath.map(({ route }) => route);
  const methods = [...new Set(routes.flatMap(methodsOf))];
  const reading = routes.find(({ methods }) => methods.includes("GET"));
  const answer = plainAnswer(405, `ask with ${listOf(methods)}`, { allow: methods.join(", ") });
  return {
    access: reading?.access ?? "anyone",
    headers: reading?.headers?.(request) ?? {},
    answer: async () => answer,
  };
}

function methodsOf({ methods }: Route): string[] {
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

function listOf(methods: readonly string[]): string {
  const [last = "", ...others] = methods.toReversed();
  return others.length === 0 ? last : `${others.reverse().join(", ")} or ${last}`;
}

/** The parameters, or null if the path does not match. */
function matchSegments(pattern: readonly string[], segments: readonly string[]): RouteParams | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? "";
    const name = /^\{(\w+)\}$/u.exec(expected)?.[1];
    if (name === undefined) {
      if (segment !== expected) return null;
      continue;
    }
    const value = decodeSegment(segment);
    if (value === null || value === "") return null;
    params[name] = value;
  }
  return params;
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    // The path has no valid encoding, so it matches no route.
    return null;
  }
}
