import { Link as RouterLink } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button, buttonClass, type ButtonLook } from "../ui/button.tsx";

type Props = {
  /** Of `paths`. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly children: ReactNode;
  readonly className?: string | undefined;
  /** Its name for screen readers, if several on the page have the same words. */
  readonly label?: string | undefined;
};

/** A link to a page of the console. The page is loaded when the user is about to follow the link. */
export function Link({ to, search, children, className, label }: Props) {
  return (
    <RouterLink to={to} search={(search ?? {}) as never} className={className} aria-label={label}>
      {children}
    </RouterLink>
  );
}

/** A link that looks like a button: it leads to a page where something is done. */
export function LinkButton({
  look = "normal",
  size = "normal",
  disabledReason = null,
  ...rest
}: Omit<Props, "className"> & {
  readonly look?: ButtonLook;
  readonly size?: "small" | "normal";
  /** Why the user must not do it now. It is then a disabled button that says so; null: they may. */
  readonly disabledReason?: string | null;
}) {
  if (disabledReason === null) return <Link {...rest} className={buttonClass(look, size)} />;
  return (
    <Button look={look} size={size} aria-label={rest.label} disabledReason={disabledReason}>
      {rest.children}
    </Button>
  );
}
