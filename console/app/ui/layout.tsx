/** What pages are laid out with. None of it knows where its content is from. */
import type { ReactNode } from "react";
import css from "./layout.module.css";

type Children = { readonly children: ReactNode };

export function Stack({ children }: Children) {
  return <div className={css["stack"]}>{children}</div>;
}

export function Row({ children }: Children) {
  return <div className={css["row"]}>{children}</div>;
}

/** The first child to the left, the others to the right. */
export function Between({ children }: Children) {
  return <div className={css["between"]}>{children}</div>;
}

export function Card({ children, label }: Children & { readonly label?: string }) {
  return label === undefined ? (
    <div className={css["card"]}>{children}</div>
  ) : (
    <section className={css["card"]} aria-label={label}>
      {children}
    </section>
  );
}

/** A part of a page with its heading, and what can be done to it. */
export function Section({
  title,
  actions,
  children,
}: Children & { readonly title: ReactNode; readonly actions?: ReactNode }) {
  return (
    <section className={css["section"]}>
      <div className={css["between"]}>
        <h2>{title}</h2>
        {actions === undefined ? null : <div className={css["row"]}>{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Names and values. Entries whose value is null are left out. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={css["facts"]}>
      {of
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Instead of a list without items: why there is none, and the first step. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={css["empty"]}>
      <strong>{title}</strong>
      {children === undefined ? null : <div className={css["quiet"]}>{children}</div>}
      {action}
    </div>
  );
}

export function Quiet({ children }: Children) {
  return <span className={css["quiet"]}>{children}</span>;
}

/** Smaller, beside what matters. */
export function Fine({ children }: Children) {
  return <p className={css["fine"]}>{children}</p>;
}

/** Text only for screen readers. */
export function Hidden({ children }: Children) {
  return <span className={css["hidden"]}>{children}</span>;
}

/** In place of what loads, as large as it will be. @param props.lines as many as it will have */
export function Skeleton({
  lines = 1,
  label = "Loading",
}: {
  readonly lines?: number;
  readonly label?: string;
}) {
  return (
    <div className={css["stack"]} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they are all the same
        <span key={index} className={css["skeleton"]} />
      ))}
    </div>
  );
}

/** What a status means for its reader. A shape beside the words shows it too, not only the colour. */
export type Tone = "good" | "busy" | "todo" | "bad" | "calm";

/** @param props.status the API's word for it, for tests and for who asks for help */
export function Badge({
  tone,
  status,
  children,
}: Children & { readonly tone: Tone; readonly status?: string | undefined }) {
  return (
    <span className={`${css["badge"]} ${css[tone] ?? ""}`} data-status={status}>
      {children}
    </span>
  );
}
