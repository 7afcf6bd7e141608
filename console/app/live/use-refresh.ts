import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ResourceName } from "../api/query.ts";
import { readAgain } from "./read-again.ts";

/**
 * Reads lists of a resource again every `everyMs`, while the page is visible. It is for changes without an event, such
 * as when a record was last checked.
 */
export function useRefresh(resource: ResourceName, method: string, everyMs: number, isWanted: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => {
      if (!document.hidden) void readAgain(client, { queryKey: [resource, method] });
    }, everyMs);
    return () => clearInterval(timer);
  }, [client, resource, method, everyMs, isWanted]);
}
