/** Which CA the next order goes to. Pure. */

export type Candidate = {
  readonly directory: string;
  /** It has failed more than once in a row. */
  readonly isFailing: boolean;
  /** Not asked before this time, after a failure. */
  readonly restUntil: number;
  /** From when its rate limits allow the order. */
  readonly freeAt: number;
  /** The name's CAA records do not let it issue. */
  readonly isRefused: boolean;
};

export type DirectoryChoice =
  | { readonly directory: string }
  | { readonly waitUntil: number }
  /** By CAA, at every CA that may be used. */
  | "refused";

/**
 * @param candidates the first CA, then the second, if there is one
 * @param mayChange whether the second may be used: for a first certificate, or when little of the validity remains
 */
export function chooseDirectory(
  candidates: readonly Candidate[],
  mayChange: boolean,
  now: number,
): DirectoryChoice {
  const [first, second] = candidates;
  if (first === undefined) throw new Error("There is no CA.");
  const readyAt = ({ restUntil, freeAt }: Candidate) => Math.max(restUntil, freeAt);
  if (!first.isRefused && readyAt(first) <= now) return { directory: first.directory };
  const isSecondUsed =
    second !== undefined &&
    mayChange &&
    !second.isRefused &&
    (first.isRefused || first.isFailing || first.freeAt > now);
  if (!isSecondUsed) return first.isRefused ? "refused" : { waitUntil: readyAt(first) };
  if (readyAt(second) <= now) return { directory: second.directory };
  return { waitUntil: first.isRefused ? readyAt(second) : Math.min(readyAt(first), readyAt(second)) };
}
