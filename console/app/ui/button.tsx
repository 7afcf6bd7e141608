import { type ButtonHTMLAttributes, type ReactNode, useId } from "react";
import css from "./button.module.css";

export type ButtonLook = "primary" | "danger" | "plain" | "normal";

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled" | "className"> & {
  readonly look?: ButtonLook;
  readonly size?: "small" | "normal";
  /** Why it cannot be used now. It stays visible and says so; null: it can. */
  readonly disabledReason?: string | null | undefined;
  /** Its work is under way: it takes no second click. */
  readonly isPending?: boolean;
  readonly children: ReactNode;
};

/** The classes of a button, for a link that looks like one. */
export function buttonClass(look: ButtonLook = "normal", size: "small" | "normal" = "normal"): string {
  return [css["button"], css[look], size === "small" ? css["small"] : ""].filter(Boolean).join(" ");
}

/** A button. One that cannot be used can be focused all the same, so that everybody can read why. */
export function Button({
  look = "normal",
  size = "normal",
  disabledReason = null,
  isPending = false,
  type = "button",
  onClick,
  children,
  ...rest
}: Props) {
  const reasonId = useId();
  const isDisabled = disabledReason !== null || isPending;
  const button = (
    <button
      {...rest}
      type={type}
      className={buttonClass(look, size)}
      aria-disabled={isDisabled || undefined}
      aria-busy={isPending || undefined}
      aria-describedby={disabledReason === null ? rest["aria-describedby"] : reasonId}
      onClick={(event) => {
        if (!isDisabled) return onClick?.(event);
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {children}
    </button>
  );
  if (disabledReason === null) return button;
  return (
    <span className={css["holder"]}>
      {button}
      <span role="tooltip" id={reasonId} className={css["reason"]}>
        {disabledReason}
      </span>
    </span>
  );
}
