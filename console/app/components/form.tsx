/**
 * A form for one write of the API. It is pending while the write is under way, shows each fault at its field, and asks
 * before the user leaves with unsaved input.
 *
 *     const form = useForm({ initial: { name: "" }, submit: (values) => slipway.projects.create(values), ... });
 *     <FormBox form={form} action="Create project">
 *       <TextField label="Name" {...form.field("name")} />
 *     </FormBox>
 */
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Fault } from "../../../sdk/src/generated/types.ts";
import { tellError, tellFault, tellPlace } from "../api/problem.ts";
import { UNKNOWN_YET } from "../api/permissions.ts";
import { useWrite, type WriteOptions } from "../api/write.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import type { Control } from "../ui/field.tsx";
import css from "./form.module.css";
import { Notice, Problem } from "./problem.tsx";

type Values = Readonly<Record<string, unknown>>;

export type Form<V extends Values> = {
  readonly values: V;
  readonly set: (changes: Partial<V>) => void;
  /**
   * What a control needs.
   * @param pointer where a fault of it is in the request, such as `/codeSource/host`; `/name` unless given
   */
  readonly field: <K extends keyof V & string>(name: K, pointer?: string) => Control<V[K]>;
  readonly isDirty: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Faults of no field. */
  readonly otherFaults: readonly Fault[];
  readonly submit: () => void;
};

type FormOptions<V, A> = Omit<WriteOptions<A>, "onDone"> & {
  readonly initial: V;
  readonly submit: (values: V) => PromiseLike<A>;
  readonly onDone?: (answer: A, values: V) => void | Promise<void>;
  /** The form is reset after each write, because it adds a resource, or because its input should not stay visible. */
  readonly beginsAnew?: boolean;
  /** Words for a fault that depend on what was typed; null for the usual ones. */
  readonly tell?: (fault: Fault, values: V) => string | null;
};

export function useForm<V extends Values, A>({
  initial,
  submit,
  onDone,
  beginsAnew = false,
  tell,
  refreshes,
}: FormOptions<V, A>): Form<V> {
  const [values, setValues] = useState(initial);
  const [start, setStart] = useState(initial);
  const [given, setGiven] = useState(initial);
  if (!isSame(initial, given)) {
    // The resource was changed elsewhere: fields that the user has not edited take the new values.
    const names = Object.keys(initial) as (keyof V)[];
    const untouched = names.filter((name) => isSame({ of: values[name] }, { of: start[name] }));
    setGiven(initial);
    setStart(initial);
    setValues({ ...values, ...Object.fromEntries(untouched.map((name) => [name, initial[name]])) });
  }
  const pointers = new Map<string, string>();
  const write = useWrite<V, A>(submit, {
    refreshes,
    onDone: async (answer) => {
      // The values are saved: `onDone` may leave the page, and the guard must not ask.
      flushSync(() => {
        setStart(beginsAnew ? initial : values);
        if (beginsAnew) setValues(initial);
      });
      await onDone?.(answer, values);
    },
  });
  const { faults } = write.error === null ? { faults: [] } : tellError(write.error);
  const isAt = (fault: Fault, pointer: string) =>
    fault.path === pointer || fault.path.startsWith(`${pointer}/`);
  return {
    values,
    set: (changes) => setValues((before) => ({ ...before, ...changes })),
    field: (name, pointer = `/${name}`) => {
      pointers.set(name, pointer);
      const own = faults.filter((fault) => isAt(fault, pointer));
      const words = own.map((fault) => {
        const inside = fault.path.slice(pointer.length + 1);
        return tell?.(fault, values) ?? `${inside === "" ? "" : `${tellPlace(inside)}: `}${tellFault(fault)}`;
      });
      return {
        name,
        value: values[name],
        onChange: (value) => setValues((before) => ({ ...before, [name]: value })),
        fault: words.length === 0 ? null : [...new Set(words)].join(" "),
      };
    },
    isDirty: !isSame(values, start),
    isPending: write.isPending,
    error: write.error,
    get otherFaults() {
      // Read after the fields have been drawn, in the same rendering.
      const known = [...pointers.values()];
      return faults.filter((fault) => !known.some((pointer) => isAt(fault, pointer)));
    },
    submit: () => {
      if (!write.isPending) write.run(values);
    },
  };
}

function isSame(a: Values, b: Values): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

type BoxProps<V extends Values> = {
  readonly form: Form<V>;
  /** The words of the button. */
  readonly action: string;
  /** Why it cannot be sent. */
  readonly disabledReason?: string | null;
  /** Why the caller may not do it at all, and whom to ask: said before the fields. */
  readonly refusal?: string | null;
  /** Called by a Cancel button, if given. */
  readonly onCancel?: () => void;
  /** Further buttons beside that of the form. */
  readonly more?: ReactNode;
  /** In one line, for a form of one or two fields. */
  readonly isInline?: boolean;
  /** It may be longer than the window: it is as wide as the page, and its buttons stay in view. */
  readonly isLong?: boolean;
  /** Beside the buttons, such as a choice of what happens next. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
};

export function FormBox<V extends Values>({
  form,
  action,
  refusal = null,
  disabledReason = null,
  onCancel,
  more,
  isInline = false,
  isLong = false,
  beside,
  children,
}: BoxProps<V>) {
  const element = useRef<HTMLFormElement>(null);
  const stopped = refusal ?? disabledReason;
  const { error } = form;
  useEffect(() => {
    if (error === null) return;
    element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  return (
    <form
      ref={element}
      noValidate
      className={isInline ? css["inline"] : css["form"]}
      data-long={isLong || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        if (stopped === null) form.submit();
      }}
    >
      {refusal === null || refusal === UNKNOWN_YET ? null : (
        <div className={css["refusal"]}>
          <Notice title={`You may not do this: ${action}`}>
            <p>{refusal}</p>
          </Notice>
        </div>
      )}
      {children}
      <FormProblem form={form} />
      <div className={css["actions"]}>
        <Button type="submit" look="primary" isPending={form.isPending} disabledReason={stopped}>
          {form.isPending ? `${action}…` : action}
        </Button>
        {more}
        {onCancel === undefined ? null : <Button onClick={onCancel}>Cancel</Button>}
        {beside}
      </div>
      <LeaveGuard isDirty={form.isDirty} />
    </form>
  );
}

/** Shows the faults that belong to no field; a field shows its own. Drawn after the fields. */
function FormProblem<V extends Values>({ form }: { readonly form: Form<V> }) {
  if (form.error === null) return null;
  const { faults } = tellError(form.error);
  const others = form.otherFaults;
  if (faults.length > 0 && others.length === 0)
    return (
      <p className={css["said"]} role="alert">
        {faults.length === 1 ? "One field needs a change." : "Some fields need a change."}
      </p>
    );
  return <Problem error={form.error} faults={others} />;
}

/** Asks before a page with changes that are not saved is left. */
export function LeaveGuard({ isDirty }: { readonly isDirty: boolean }) {
  const dirty = useRef(isDirty);
  dirty.current = isDirty;
  const isLeaving = useRef(false);
  const blocker = useBlocker({
    // Read when the user leaves: values that were saved just before are no longer dirty.
    shouldBlockFn: () => dirty.current,
    // A user who has confirmed is not asked again if the next page is of a new release, which reloads the tab.
    enableBeforeUnload: () => dirty.current && !isLeaving.current,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog title="Leave without saving?" onClose={blocker.reset}>
      <p>What you have typed on this page is lost.</p>
      <DialogActions>
        <Button onClick={blocker.reset}>Stay</Button>
        <Button
          look="danger"
          onClick={() => {
            isLeaving.current = true;
            blocker.proceed();
          }}
        >
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  );
}
