// Everything that is derived from the rows, as files and their text.

import { resources } from "../rows/resources.ts";
import { writeMethods, writeSchemas } from "./bundle.ts";
import { createCatalog } from "./catalog.ts";
import {
  writeErrorPage,
  writeMethodPage,
  writeNotificationPage,
  writeServerRequestPage,
} from "./reference.ts";
import { stableCatalog } from "./stable.ts";
import { writeTable } from "./table.ts";
import { writeTypes } from "./typescript.ts";

const banner = "// Generated from src/protocol/rows by `npm run generate`. Do not edit.\n\n";

/** Paths are relative to the root of the project. */
export function generate(): Map<string, string> {
  const catalog = createCatalog(resources);
  const stable = stableCatalog(catalog);
  return new Map([
    ["src/protocol/generated/types.ts", banner + writeTypes(catalog)],
    ["src/protocol/generated/table.ts", banner + writeTable(catalog)],
    ["schema/heddle.stable.ts", writeTypes(stable)],
    ["schema/heddle.schemas.json", writeSchemas(catalog)],
    ["schema/heddle.stable.schemas.json", writeSchemas(stable)],
    ["schema/methods.json", writeMethods(catalog)],
    ["docs/reference/methods.md", writeMethodPage(resources, catalog)],
    ["docs/reference/server-requests.md", writeServerRequestPage(resources)],
    ["docs/reference/notifications.md", writeNotificationPage(resources)],
    ["docs/reference/errors.md", writeErrorPage()],
  ]);
}
