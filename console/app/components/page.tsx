import { Link as RouterLink } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { Link } from "./link.tsx";
import css from "./page.module.css";

type Props = {
  readonly title: string;
  /** The pages above this page: pairs of words and path. */
  readonly crumbs?: readonly (readonly [string, string])[];
  /** Beside the title, such as a status. */
  readonly beside?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Pages of the same thing: pairs of words and path. */
  readonly tabs?: readonly (readonly [string, string])[];
  readonly children: ReactNode;
};

/** A page with its heading, which gets the focus when the user arrives, and its name in the browser's title. */
export function Page({ title, crumbs = [], beside, lead, actions, tabs, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
  return (
    <>
      <div className={css["head"]}>
        {crumbs.length === 0 ? null : (
          <nav className={css["crumbs"]} aria-label="Breadcrumbs">
            <ol>
              {crumbs.map(([words, to]) => (
                <li key={to}>
                  <Link to={to}>{words}</Link>
                </li>
              ))}
            </ol>
          </nav>
        )}
        <div className={css["row"]}>
          <div className={css["title"]}>
            <h1 tabIndex={-1}>{title}</h1>
            {beside}
          </div>
          {actions === undefined ? null : <div className={css["actions"]}>{actions}</div>}
        </div>
        {lead === undefined ? null : <p className={css["lead"]}>{lead}</p>}
      </div>
      {tabs === undefined ? null : (
        <nav className={css["tabs"]} aria-label={`Pages of ${title}`}>
          <ul>
            {tabs.map(([words, to]) => (
              <li key={to}>
                <RouterLink to={to} activeOptions={{ exact: true, includeSearch: false }}>
                  {words}
                </RouterLink>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {children}
    </>
  );
}
