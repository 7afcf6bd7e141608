import { type ButtonHTMLAttributes, type ReactNode, useId, useRef } from "react";
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

/** A button. A disabled button can still be focused, so that every user can read the reason. */
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
  const tooltip = useRef<HTMLSpanElement>(null);
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
    <span
      className={css["holder"]}
      onPointerEnter={({ currentTarget }) => show(tooltip.current, currentTarget)}
      onPointerLeave={() => tooltip.current?.hidePopover()}
      onFocus={({ currentTarget }) => show(tooltip.current, currentTarget)}
      onBlur={() => tooltip.current?.hidePopover()}
      onKeyDown={({ key }) => {
        if (key === "Escape") tooltip.current?.hidePopover();
      }}
    >
      {button}
      {/* Over everything, so that nothing around the button cuts it off. */}
      <span ref={tooltip} role="tooltip" id={reasonId} popover="manual" className={css["reason"]}>
        {disabledReason}
      </span>
    </span>
  );
}

const GAP = 6;

/** Shows a tooltip below its button, or above it where there is no room, inside the window. */
function show(tooltip: HTMLElement | null, { firstElementChild: button }: HTMLElement): void {
  if (tooltip === null || button === null || tooltip.matches(":popover-open")) return;
  tooltip.showPopover();
  const at = button.getBoundingClientRect();
  const { width, height } = tooltip.getBoundingClientRect();
  const below = at.bottom + GAP;
  tooltip.style.top = `${below + height > innerHeight ? at.top - GAP - height : below}px`;
  tooltip.style.left = `${Math.max(GAP, Math.min(at.right - width, innerWidth - width - GAP))}px`;
}
