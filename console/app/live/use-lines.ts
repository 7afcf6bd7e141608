/** Lines of a log as they come in. */
import { useEffect, useState } from "react";
import { AbortedError } from "../../../sdk/src/errors.ts";
import { withSession } from "../api/session.ts";

/** Lines come in bursts; what came meanwhile is shown together. */
const GATHER_MS = 100;

/**
 * All lines of a log so far, numbered; live until its stream has ended.
 * @param of whose log it is: what shows it has this as its `key`, so that another log begins anew
 * @param follow hands each line to `add` as it comes, until the signal ends it
 */
export function useLines<L extends object>(
  of: string,
  follow: (add: (line: L) => void, signal: AbortSignal) => Promise<void>,
): {
  readonly rows: readonly (L & { readonly key: string })[];
  readonly isLive: boolean;
  readonly error: unknown;
} {
  const [rows, setRows] = useState<readonly (L & { readonly key: string })[]>([]);
  const [isLive, setLive] = useState(true);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const end = new AbortController();
    let came: (L & { readonly key: string })[] = [];
    let count = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      clearTimeout(timer);
      timer = undefined;
      const added = came;
      came = [];
      if (added.length > 0) setRows((before) => [...before, ...added]);
    };
    const add = (line: L) => {
      count += 1;
      came.push({ ...line, key: String(count) });
      timer ??= setTimeout(show, GATHER_MS);
    };
    const run = async () => {
      try {
        await withSession(() => follow(add, end.signal));
      } catch (reason) {
        if (end.signal.aborted || reason instanceof AbortedError) return;
        setError(reason);
      }
      if (end.signal.aborted) return;
      show();
      setLive(false);
    };
    void run();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `follow` is made anew at each rendering
  }, [of]);
  return { rows, isLive, error };
}
