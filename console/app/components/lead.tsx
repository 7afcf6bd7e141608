/** The line below the heading of a page: a few facts, each with an icon. */
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { Hidden } from "../ui/layout.tsx";
import css from "./lead.module.css";

/** An icon, what it stands for, and the fact. */
export type LeadFact = readonly [icon: LucideIcon, what: string, fact: ReactNode];

export function Lead({ of }: { readonly of: readonly LeadFact[] }) {
  return (
    <span className={css["lead"]}>
      {of.map(([icon, what, fact]) => (
        <span key={what} className={css["fact"]} title={what}>
          <Icon of={icon} size={14} />
          <Hidden>{what}: </Hidden>
          <span>{fact}</span>
        </span>
      ))}
    </span>
  );
}
