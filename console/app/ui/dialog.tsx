/** A modal dialog: the browser's own, which keeps the focus inside, closes on Escape, and gives the focus back. */
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import css from "./dialog.module.css";

type Props = {
  readonly title: ReactNode;
  /** Called when it is to close: by Escape, or by what is inside. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
  /** Near the top of the window, where it stays while its content grows and shrinks. */
  readonly isAtTop?: boolean;
};

/** Shown while it is rendered, at the end of the page: it inherits no style from the place that opens it. */
export function Dialog({ title, onClose, children, isWide = false, isAtTop = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before anything inside takes the focus.
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => {
      current?.close();
      // What opened it may be gone by now.
      const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
      (isThere ? before : document.querySelector<HTMLElement>("main"))?.focus();
    };
  }, [before]);
  return createPortal(
    <dialog
      ref={dialog}
      className={[css["dialog"], isWide ? css["wide"] : "", isAtTop ? css["top"] : ""]
        .filter(Boolean)
        .join(" ")}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className={css["inside"]}>
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>,
    document.body,
  );
}

/** The buttons at a dialog's end. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={css["actions"]}>{children}</div>;
}
