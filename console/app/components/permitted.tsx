import type { ReactNode } from "react";
import { type Action, useCan } from "../api/permissions.ts";
import { Empty } from "../ui/layout.tsx";
import { LinkButton } from "./link.tsx";
import { Notice } from "./problem.tsx";

/** What only some may see; to others, who may. Nothing inside is read for them. */
export function Permitted({ action, children }: { readonly action: Action; readonly children: ReactNode }) {
  const { reason } = useCan(action);
  return reason === null ? children : <Empty title="You may not see this">{reason}</Empty>;
}

/** Leads to the form of an action. For a reader without the permission, it is a button that says why. */
export function PermittedLink({
  action,
  to,
  search,
  isPrimary = false,
  children,
}: {
  readonly action: Action;
  readonly to: string;
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly isPrimary?: boolean;
  readonly children: ReactNode;
}) {
  const { reason } = useCan(action);
  return (
    <LinkButton look={isPrimary ? "primary" : "normal"} to={to} search={search ?? {}} disabledReason={reason}>
      {children}
    </LinkButton>
  );
}

/** Says at the head of a page what the reader must not do there, and whom to ask. @param props.what such as `add users` */
export function NotPermitted({ action, what }: { readonly action: Action; readonly what: string }) {
  const { reason } = useCan(action);
  return reason === null ? null : (
    <Notice title={`You may not ${what}`}>
      <p>{reason}</p>
    </Notice>
  );
}
