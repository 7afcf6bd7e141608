/** A modal dialog: the browser's own, which keeps the focus inside, closes on Escape, and gives the focus back. */
import { type ReactNode, useEffect, useId, useRef } from "react";
import { createPortal } from "react-dom";
import css from "./dialog.module.css";

type Props = {
  readonly title: string;
  /** Called when it is to close: by Escape, or by what is inside. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
};

/** Shown while it is rendered, at the end of the page: it inherits no style from the place that opens it. */
export function Dialog({ title, onClose, children, isWide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      // What opened it may be gone by now.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      className={isWide ? `${css["dialog"]} ${css["wide"]}` : css["dialog"]}
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
