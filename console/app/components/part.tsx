import type { ReactNode } from "react";
import { Skeleton } from "../ui/layout.tsx";
import { Problem } from "./problem.tsx";

type Props<T> = {
  /** What `useLater` says of it. */
  readonly of: { readonly data: T | undefined; readonly error: Error | null };
  /** As many as it will have. */
  readonly lines: number;
  readonly children: (data: T) => ReactNode;
};

/** A part of a page that is read beside it: a skeleton until it is there, and what is wrong if it does not come. */
export function Part<T>({ of: { data, error }, lines, children }: Props<T>) {
  if (data !== undefined) return children(data);
  return error === null ? <Skeleton lines={lines} /> : <Problem error={error} />;
}
