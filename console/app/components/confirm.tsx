/** Writes behind a button or an entry of a menu, at once or after a question that says what follows. */
import { Ellipsis } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useWrite, type WriteOptions } from "../api/write.ts";
import { Button, type ButtonLook } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";
import css from "./confirm.module.css";
import { Problem } from "./problem.tsx";

type Work<A> = WriteOptions<A> & {
  readonly work: () => PromiseLike<A>;
  /** Said when it is done. */
  readonly said?: string;
};

/** @param onEnd closes what asked for the work */
function useWork<A>({ work, said, refreshes, onDone }: Work<A>, onEnd?: () => void) {
  return useWrite<void, A>(work, {
    refreshes,
    onDone: async (answer) => {
      onEnd?.();
      if (said !== undefined) toast(said);
      await onDone?.(answer);
    },
  });
}

type Common<A> = Work<A> & {
  readonly label: string;
  /** Its name for screen readers, if several on the page have the same words. */
  readonly name?: string;
  readonly look?: ButtonLook;
  readonly size?: "small" | "normal";
  readonly disabledReason?: string | null | undefined;
};

/** A button that does its work at once, and says below itself if it could not. */
export function ActionButton<A>({
  label,
  name,
  look = "normal",
  size = "normal",
  disabledReason = null,
  ...work
}: Common<A>) {
  const write = useWork(work);
  return (
    <>
      <Button
        look={look}
        size={size}
        aria-label={name}
        disabledReason={disabledReason}
        isPending={write.isPending}
        onClick={() => write.run()}
      >
        {label}
      </Button>
      {write.error === null ? null : <NotDone label={label} error={write.error} onClose={write.reset} />}
    </>
  );
}

function NotDone({
  label,
  error,
  onClose,
}: {
  readonly label: string;
  readonly error: Error;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={`${label}: not done`} onClose={onClose}>
      <Problem error={error} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

/** An entry of a menu: leads somewhere (`to`), opens something (`onSelect`), or writes, after a question if it has one. */
export type MenuAction = MenuItem & {
  // oxlint-disable-next-line typescript/no-explicit-any -- each entry of a menu has another answer
  readonly write?: Work<any> & { readonly question?: Question };
};

/** A write that asks first, as an entry of a menu. */
export function menuEntry<A>(
  {
    disabledReason,
    question,
    ...write
  }: Work<A> & { readonly disabledReason: string | null; readonly question: Question },
  entry: Pick<MenuAction, "label" | "icon" | "isDanger">,
): MenuAction {
  return { ...entry, disabledReason, write: { ...write, question } };
}

/** The actions that are not the first ones, of a page or of a row. @param props.of what they are done to */
export function ActionMenu({
  of,
  actions,
}: {
  readonly of: string;
  readonly actions: readonly MenuAction[];
}) {
  const [chosen, setChosen] = useState<MenuAction | null>(null);
  const close = () => setChosen(null);
  const holder = useRef<HTMLSpanElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The entry that opened the question went with the menu: the focus returns to the menu's button.
    if (wasOpen.current && chosen === null) holder.current?.querySelector("button")?.focus();
    wasOpen.current = chosen !== null;
  }, [chosen]);
  return (
    <span ref={holder} className={css["menu"]}>
      <Menu
        label={`Actions for ${of}`}
        items={actions.map((entry) =>
          entry.write === undefined ? entry : { ...entry, onSelect: () => setChosen(entry) },
        )}
      >
        <Icon of={Ellipsis} />
      </Menu>
      {chosen?.write === undefined ? null : chosen.write.question === undefined ? (
        <WriteNow label={chosen.label} work={chosen.write} onEnd={close} />
      ) : (
        <ConfirmDialog {...chosen.write} {...chosen.write.question} onClose={close} />
      )}
    </span>
  );
}

/** Writes when it is first drawn. */
function WriteNow<A>({
  label,
  work,
  onEnd,
}: {
  readonly label: string;
  readonly work: Work<A>;
  readonly onEnd: () => void;
}) {
  const { run, error } = useWork(work, onEnd);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- once
  useEffect(() => run(), []);
  return error === null ? null : <NotDone label={label} error={error} onClose={onEnd} />;
}

/** A button that first asks, with what follows. The name is typed only where much is lost. */
export function ConfirmButton<A>({
  label,
  name,
  look = "danger",
  size = "normal",
  disabledReason = null,
  ...question
}: Omit<Common<A>, "label"> & Question & { readonly label: ReactNode }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button
        look={look}
        size={size}
        aria-label={name}
        disabledReason={disabledReason}
        onClick={() => setAsking(true)}
      >
        {label}
      </Button>
      {isAsking ? <ConfirmDialog {...question} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

type Question = {
  readonly title: string;
  /** What follows, each in a sentence. */
  readonly consequences: readonly ReactNode[];
  /** Shown below them, such as a preview. */
  readonly details?: ReactNode;
  /** The words of the button that does it. */
  readonly action: string;
  /** Nothing is lost by it: its button is not red. */
  readonly isSafe?: boolean;
  /** The text that the user has to type first; only if the change cannot be undone and the resource serves people. */
  readonly typed?: string | undefined;
};

export function ConfirmDialog<A>({
  title,
  consequences,
  details,
  action,
  isSafe = false,
  typed,
  onClose,
  ...work
}: Question & Work<A> & { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const id = useId();
  const write = useWork(work, onClose);
  const isTyped = typed === undefined || text.trim() === typed;
  return (
    <Dialog title={title} onClose={onClose}>
      {consequences.length === 1 ? <p>{consequences[0]}</p> : null}
      {consequences.length > 1 ? (
        <ul>
          {consequences.map((consequence, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- they never move
            <li key={`${id} ${index}`}>{consequence}</li>
          ))}
        </ul>
      ) : null}
      {details}
      {typed === undefined ? null : (
        <TextField
          label={`Type ${typed} to continue`}
          name="typed"
          value={text}
          onChange={setText}
          fault={null}
        />
      )}
      {write.error === null ? null : <Problem error={write.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look={isSafe ? "primary" : "danger"}
          isPending={write.isPending}
          disabledReason={isTyped ? null : `Type ${typed} first.`}
          onClick={() => write.run()}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
