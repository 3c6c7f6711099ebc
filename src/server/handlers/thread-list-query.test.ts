import { expect, test } from "vitest";
import { pageSize, toListQuery, toSearchQuery } from "./thread-list-query.ts";

const HERE = { cwd: "/here", provider: "mock" };
const ID = "0199aaaa-0000-7000-8000-000000000001";
const USUAL = {
  archived: false,
  cursor: null,
  limit: 25,
  modelProviders: ["mock", ""],
  sourceKinds: ["cli", "vscode"],
  originators: null,
  excludedIds: null,
  cwds: null,
  searchTerm: null,
};

test("a list without overrides is about what its user did with the configured provider", () => {
  expect(toListQuery({}, HERE)).toEqual(USUAL);
});

test("empty lists of kinds, providers and origins ask for nothing special", () => {
  const query = toListQuery({ sourceKinds: [], modelProviders: [], originators: [], searchTerm: "" }, HERE);
  expect(query).toEqual({ ...USUAL, modelProviders: null });
});

test("overrides become filters", () => {
  const query = toListQuery(
    {
      cursor: "c",
      limit: 3,
      sortKey: "updated_at",
      sortDirection: "asc",
      archived: true,
      sourceKinds: ["exec"],
      modelProviders: ["other"],
      originators: ["me"],
      excludedThreadIds: [ID.toUpperCase()],
      cwd: ["/a", "b"],
      searchTerm: "x",
      useStateDbOnly: true,
    },
    HERE,
  );
  expect(query).toEqual({
    archived: true,
    cursor: "c",
    limit: 3,
    direction: "asc",
    order: "updated_at",
    modelProviders: ["other"],
    sourceKinds: ["exec"],
    originators: ["me"],
    excludedIds: [ID],
    cwds: ["/a", "/here/b"],
    searchTerm: "x",
  });
});

test("relatives of a thread are listed whatever made them", () => {
  const relatives = { ...USUAL, modelProviders: null, sourceKinds: null };
  expect(toListQuery({ parentThreadId: ID }, HERE)).toEqual({ ...relatives, parentThreadId: ID });
  expect(toListQuery({ ancestorThreadId: ID }, HERE)).toEqual({ ...relatives, ancestorThreadId: ID });
});

test("sections and attachments have no threads", () => {
  expect([
    toListQuery({ sectionId: "s" }, HERE),
    toListQuery({ sectionId: "s", sortKey: "section_position" }, HERE),
    toListQuery({ attachedToThreadId: ID }, HERE),
  ]).toEqual([null, null, null]);
});

test("what cannot be asked for is refused", () => {
  const refusals = [
    { parentThreadId: ID, ancestorThreadId: ID },
    { parentThreadId: "x" },
    { excludedThreadIds: ["x"] },
    { sortKey: "section_position" as const },
    { projectId: "p" },
    { projectId: "" },
  ].map((params) => {
    try {
      return toListQuery(params, HERE);
    } catch (error) {
      return error instanceof Error ? error.message.split(":")[0] : error;
    }
  });
  expect(refusals).toEqual([
    "parentThreadId and ancestorThreadId are mutually exclusive",
    "invalid parent thread id",
    "invalid excluded thread id",
    "section-position sorting requires a section filter",
    "project not found",
    "projectId must not be empty",
  ]);
});

test("a search has fewer filters", () => {
  expect(toSearchQuery({ searchTerm: "x", sortKey: "recency_at" })).toEqual({
    archived: false,
    cursor: null,
    limit: 25,
    order: "recency_at",
    sourceKinds: ["cli", "vscode"],
  });
});

test("a page has between one and a hundred entries", () => {
  expect([pageSize(null), pageSize(0), pageSize(7), pageSize(1000)]).toEqual([25, 1, 7, 100]);
});
