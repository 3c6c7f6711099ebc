/**
 * The tests of the conformance suite that are about reading, by group; the others are about a write path that Heddle does
 * not have. A title is that of the group and of the test, with a space between.
 */
const GROUPS: readonly string[] = [
  "Read Operations",
  "Long-Poll Operations",
  "HEAD Metadata (?!Edge)",
  "Offset Validation and Resumability",
  "Long-Poll Edge Cases",
  "Caching and ETag",
  "Chunking and Large Payloads",
  "Read-Your-Writes Consistency",
  "SSE Mode",
  "Property-Based Tests \\(fast-check\\) (?:Byte-Exactness|Operation Sequence|Immutability|Offset Validation|State Hash)",
  "Property-Based Tests \\(fast-check\\) Concurrent Writer Stress Tests mixed readers",
  "Stream Closure (?:HEAD with|Read Closed|Long-poll with|SSE with)",
  "Stream Closure Edge Cases offset-now",
  "Fork - (?:Reading|Live Modes|JSON Mode)",
  "Fork - Deletion and Lifecycle should (?:return 410 for GET|soft-delete source)",
  "HTTP Protocol should (?:return correct headers on GET|return empty body with up-to-date|read from offset)",
  "Browser Security Headers (?!.*(?:PUT|POST) responses)",
  "Content-Type Validation should return stream content-type on GET",
  "Protocol Edge Cases should (?:preserve data immutability|generate unique|reject empty offset|reject multiple offset|handle binary data|ignore unknown)",
  "JSON Mode (?!.*(?:reject|PUT with empty))",
];

export const READING_TESTS = new RegExp(`^(?:${GROUPS.join("|")})`, "u");
