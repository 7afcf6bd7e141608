import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ResourceName } from "../api/query.ts";
import { readAgain } from "./read-again.ts";

/**
 * Reads lists of a resource again from time to time, while the page is looked at: for what is no event, such as when a
 * record was last looked at.
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
