import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import css from "./copy.module.css";
import { Icon } from "./icon.tsx";
import { toast } from "./toast.tsx";

const DONE_MS = 1_500;

/**
 * Copies a text; where the browser does not let a page copy, such as over plain HTTP, selects `node`.
 * @returns whether it is copied
 */
export async function copyText(text: string, what: string, node?: Node | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}.`);
    return true;
  } catch (error) {
    if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error;
    if (node === undefined || node === null) toast(`The browser does not let this page copy ${what}.`);
    else {
      globalThis.getSelection()?.selectAllChildren(node);
      toast("Selected. Press Ctrl+C or ⌘C to copy it.");
    }
    return false;
  }
}

/** A button that copies a text. @param props.what the name of the text, such as `the record's value` */
export function CopyButton({
  text,
  what,
  label = "",
  node,
}: {
  readonly text: string;
  readonly what: string;
  /** Beside the icon. */
  readonly label?: string;
  /** Gives what to select where the browser does not let a page copy. */
  readonly node?: () => Node | null;
}) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(text, what, node?.()))) return;
    setDone(true);
    setTimeout(() => setDone(false), DONE_MS);
  };
  return (
    <button
      type="button"
      className={css["copy"]}
      aria-label={label === "" ? `Copy ${what}` : undefined}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon of={isDone ? Check : Copy} size={14} />
      {label}
    </button>
  );
}

/** A text with a button that copies it. */
export function Copyable({
  text,
  what,
  shown = text,
}: {
  readonly text: string;
  readonly what: string;
  /** What people see of it, such as a shortened hash. */
  readonly shown?: string;
}) {
  const code = useRef<HTMLElement>(null);
  return (
    <span className={css["copyable"]}>
      <code ref={code} title={shown === text ? undefined : text}>
        {shown}
      </code>
      <CopyButton text={text} what={what} node={() => code.current} />
    </span>
  );
}

const ENDS = 12;

/** An id or ARN: its beginning and its end, and a button that copies all of it. */
export function CopyableId({ text, what }: { readonly text: string; readonly what: string }) {
  const shown = text.length <= 2 * ENDS ? text : `${text.slice(0, ENDS)}…${text.slice(-ENDS / 2)}`;
  return <Copyable text={text} what={what} shown={shown} />;
}
