import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { isGone } from "../api/problem.ts";
import { Notice } from "./problem.tsx";

/** Says that a resource of the page was deleted meanwhile. The page stays, with all its input. */
export function GoneNotice() {
  const client = useQueryClient();
  const isShown = useSyncExternalStore(
    (changed) => client.getQueryCache().subscribe(changed),
    () => showsGone(client),
  );
  return (
    <div role="status">
      {isShown ? (
        <Notice title="This is no longer there">
          <p>It was deleted, or you may no longer see it. This page shows its last known state.</p>
        </Notice>
      ) : null}
    </div>
  );
}

function showsGone(client: QueryClient): boolean {
  const shown = client.getQueryCache().findAll({ type: "active" });
  return shown.some(({ state }) => state.data !== undefined && isGone(state.error));
}
