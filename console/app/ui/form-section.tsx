import type { ReactNode } from "react";
import css from "./form-section.module.css";

/** Fields of a form that belong together, below their heading and what they are for. */
export function FormSection({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={css["section"]}>
      <div>
        <h2>{title}</h2>
        {lead === undefined ? null : <p className={css["lead"]}>{lead}</p>}
      </div>
      {children}
    </section>
  );
}
