import type { LucideIcon } from "lucide-react";
import { Icon } from "./icon.tsx";
import css from "./icon-button.module.css";

/** The class of a button that shows only an icon. */
export const iconButtonClass = css["button"] ?? "";

/** A button that shows only an icon. @param props.title what it does, if that is not its label; shown on hover */
export function IconButton({
  icon,
  label,
  title = label,
  isPressed,
  onClick,
}: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly title?: string;
  /** Of a button that stays pressed: whether it is. */
  readonly isPressed?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      className={iconButtonClass}
      aria-label={label}
      aria-pressed={isPressed}
      title={title}
      onClick={onClick}
    >
      <Icon of={icon} />
    </button>
  );
}
