/** What the server and its search thread say to one another. */
import type { FileMatch, FileSearchRequest } from "./file-search.ts";

export type ToSearchThread =
  | { readonly kind: "open"; readonly id: number; readonly request: FileSearchRequest }
  | { readonly kind: "update"; readonly id: number; readonly query: string }
  | { readonly kind: "close"; readonly id: number };

export type FromSearchThread =
  | {
      readonly kind: "update";
      readonly id: number;
      readonly query: string;
      readonly files: readonly FileMatch[];
    }
  | { readonly kind: "complete"; readonly id: number; readonly query: string };
