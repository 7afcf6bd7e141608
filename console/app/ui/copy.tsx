import { useRef } from "react";
import css from "./copy.module.css";
import { toast } from "./toast.tsx";

/** Copies a text; where the browser does not let a page copy, such as over plain HTTP, selects `node`. */
export async function copyText(text: string, what: string, node?: Node | null): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}.`);
  } catch (error) {
    if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error;
    if (node === undefined || node === null) return toast(`The browser does not let this page copy ${what}.`);
    globalThis.getSelection()?.selectAllChildren(node);
    toast("Selected. Press Ctrl+C or ⌘C to copy it.");
  }
}

/** A button that copies a text. @param props.what the name of the text, such as `the record's value` */
export function CopyButton({
  text,
  what,
  label = "Copy",
}: {
  readonly text: string;
  readonly what: string;
  readonly label?: string;
}) {
  return (
    <button
      type="button"
      className={css["copy"]}
      aria-label={label === "Copy" ? `Copy ${what}` : undefined}
      title={`Copy ${what}`}
      onClick={() => void copyText(text, what)}
    >
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
      <button
        type="button"
        className={css["copy"]}
        aria-label={`Copy ${what}`}
        onClick={() => void copyText(text, what, code.current)}
      >
        Copy
      </button>
    </span>
  );
}
