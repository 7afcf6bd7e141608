/**
 * A button that opens a list of actions. Base UI's menu is loaded when the user is about to open the first one, so that
 * no page waits for it.
 */
import { type ReactNode, startTransition, Suspense, useState } from "react";
import type { LucideIcon } from "lucide-react";
import { iconButtonClass } from "./icon-button.tsx";
import { loadLater } from "./load-later.ts";

export type MenuItem = {
  readonly label: string;
  readonly icon?: LucideIcon;
  /** What it does. In its place, `to` is the address it leads to. */
  readonly onSelect?: () => void;
  readonly to?: string;
  /** Why it cannot be used now; it stays visible and says so. */
  readonly disabledReason?: string | null | undefined;
  readonly isDanger?: boolean;
  /** One of several, and whether it is the chosen one. */
  readonly isChosen?: boolean;
  /** Stands above it, as the title of this and the following items. */
  readonly group?: string;
};

export type MenuProps = {
  /** What it is for, such as `Actions for www.example.com`. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** What the button shows. */
  readonly children: ReactNode;
  /** The classes of the button; without them, it looks like an `IconButton`. */
  readonly className?: string | undefined;
  readonly side?: "top" | "bottom";
};

const open = loadLater(async () => (await import("./open-menu.tsx")).OpenMenu);

/** A list of actions is in the part of the page that its button is in, and above a dialog. */
const LANDMARK = "dialog, main, header";

export function Menu(props: MenuProps) {
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const { label, children, className = iconButtonClass } = props;
  return (
    <Suspense>
      {container === null ? (
        <button
          type="button"
          className={className}
          aria-label={label}
          aria-haspopup="menu"
          aria-expanded="false"
          onPointerEnter={open.prefetch}
          onFocus={open.prefetch}
          onClick={({ currentTarget }) =>
            startTransition(() => setContainer(currentTarget.closest<HTMLElement>(LANDMARK) ?? document.body))
          }
        >
          {children}
        </button>
      ) : (
        <open.Component {...props} className={className} container={container} />
      )}
    </Suspense>
  );
}
