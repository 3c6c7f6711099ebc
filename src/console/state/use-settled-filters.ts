import { useEffect, useState } from "preact/hooks";
import { place } from "./router.ts";

/** After the last key. */
const TYPING_MS = 200;

/** The query of the address as it was when nothing was typed for a moment. */
export function useSettledFilters(): string {
  const current = place.value.query.toString();
  const [settled, settle] = useState(current);
  useEffect(() => {
    const timer = setTimeout(() => settle(current), TYPING_MS);
    return () => clearTimeout(timer);
  }, [current]);
  return settled;
}
