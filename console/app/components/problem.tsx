import type { ReactNode } from "react";
import type { Fault } from "../../../sdk/src/generated/types.ts";
import { tellError, tellFault, tellPlace } from "../api/problem.ts";
import css from "./problem.module.css";

/**
 * What failed, why, what to do, and what to give to support.
 * @param props.faults those to list, if others are said at their fields
 */
export function Problem({ error, faults }: { readonly error: unknown; readonly faults?: readonly Fault[] }) {
  const said = tellError(error);
  const listed = faults ?? said.faults;
  return (
    <div className={css["problem"]} role="alert">
      <strong>{said.title}</strong>
      {said.cause === null ? null : <p>{said.cause}</p>}
      {listed.length === 0 ? null : (
        <ul>
          {listed.map((fault) => (
            <li key={`${fault.path} ${fault.code}`}>
              {fault.path === "" ? null : <strong>{tellPlace(fault.path)}:</strong>} {tellFault(fault)}
            </li>
          ))}
        </ul>
      )}
      {said.next === null ? null : <p>{said.next}</p>}
      {said.code === null && said.requestId === null ? null : (
        <p className={css["fine"]}>
          {said.help === null ? (
            said.code
          ) : (
            <a href={said.help} target="_blank" rel="noopener">
              {said.code}
            </a>
          )}
          {said.requestId === null ? null : (
            <>
              {said.code === null ? "" : " · "}request <code>{said.requestId}</code>
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** A message that the user has to know or act on, without a failure of this page. */
export function Notice({
  title,
  children,
  isBad = false,
  isGood = false,
}: {
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly isBad?: boolean;
  readonly isGood?: boolean;
}) {
  const tone = isBad ? "" : (css[isGood ? "success" : "warning"] ?? "");
  return (
    <div className={`${css["problem"]} ${tone}`}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}
