import { useEffect, useState } from "react";

/** A text that the user types, once it has not changed for `settleMs`. */
export function useSettled(text: string, settleMs: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text, settleMs]);
  return settled;
}
