import type { ReactNode } from "react";
import { useMe } from "../api/permissions.ts";
import { SANDBOX_SITE, siteUrlOf } from "../api/site-url.ts";
import { Fine } from "../ui/layout.tsx";

/** A link to what is served for a host name, also where browsers do not know the name. */
export function SiteLink({
  host,
  children = host,
}: {
  readonly host: string;
  readonly children?: ReactNode;
}) {
  const { cloud } = useMe();
  return (
    <a
      href={siteUrlOf(cloud, host)}
      title={cloud === "sandbox" ? SANDBOX_SITE : undefined}
      target="_blank"
      rel="noopener"
    >
      {children}
    </a>
  );
}

/** Beside links, once on a page: why they lead to another name. */
export function SiteNote() {
  return useMe().cloud === "sandbox" ? <Fine>{SANDBOX_SITE}</Fine> : null;
}
