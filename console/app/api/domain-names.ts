/** Domain names as the user types or pastes them. Pure. */
import type { Fault } from "../../../sdk/src/generated/types.ts";
import { tellFault } from "./problem.ts";

/**
 * Names separated by lines, spaces, commas or semicolons. Addresses of pages are cut to their host; comments are left
 * out.
 */
export function readDomainNames(text: string): readonly string[] {
  return text
    .replaceAll(/(?<=^|\s)#.*$/gm, "")
    .split(/[\s,;]+/)
    .map((name) =>
      name
        .replace(/^(?:https?:)?\/\//i, "")
        .replace(/[/?#].*$/, "")
        .replace(/:\d*$/, ""),
    )
    .filter((name) => name !== "");
}

/** A fault of one name, which says of which. @param at where the names are in the request */
export function tellNameFault(fault: Fault, text: string, at = "/domains"): string {
  const index = new RegExp(`^${at}/(\\d+)$`).exec(fault.path)?.[1];
  const name = index === undefined ? undefined : readDomainNames(text)[Number(index)];
  return name === undefined ? tellFault(fault) : `${name}: ${tellFault(fault)}`;
}
