import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";

type Props = {
  readonly title: string;
  /** What the secret is called, such as `the key`. */
  readonly what: string;
  readonly secret: string;
  /** What to do with it. */
  readonly children: ReactNode;
  readonly onDone: () => void;
};

/** A secret that Slipway shows this once. */
export function SecretOnce({ title, what, secret, children, onDone }: Props) {
  return (
    <Dialog title={title} onClose={onDone}>
      {children}
      <Copyable text={secret} what={what} />
      <p>It is shown only this once.</p>
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
