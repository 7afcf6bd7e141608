import type { ReactNode } from "react";
import { type Action, useCan } from "../api/permissions.ts";
import { Empty } from "../ui/layout.tsx";

/** What only some may see; to others, who may. Nothing inside is read for them. */
export function Permitted({ action, children }: { readonly action: Action; readonly children: ReactNode }) {
  const { reason } = useCan(action);
  return reason === null ? children : <Empty title="You may not see this">{reason}</Empty>;
}
