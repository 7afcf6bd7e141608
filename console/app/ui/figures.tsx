/** Single numbers side by side, where a chart would have too little to show. */
import type { ReactNode } from "react";
import css from "./figures.module.css";

export type Figure = {
  readonly label: string;
  /** Null while it loads: it has its size already. */
  readonly value: ReactNode;
  /** What the number means, such as its share of the whole. */
  readonly detail?: ReactNode;
};

export function Figures({ of, label }: { readonly of: readonly Figure[]; readonly label: string }) {
  return (
    <dl className={css["figures"]} aria-label={label}>
      {of.map(({ label: name, value, detail = null }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span className={css["value"]}>{value ?? "\u00a0"}</span>
            {detail === null ? null : <small>{detail}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
