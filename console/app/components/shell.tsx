/** The frame around every page: where to go, who is signed in, and how live it is. */
import { Link as RouterLink, Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import {
  BookOpen,
  ChevronsUpDown,
  Keyboard,
  LogOut,
  Mail,
  Menu as MenuIcon,
  PanelLeftClose,
  PanelLeftOpen,
  Search,
  UserRound,
} from "lucide-react";
import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from "react";
import { useMe } from "../api/permissions.ts";
import { queryClient } from "../api/query.ts";
import { onSessionChange } from "../api/session.ts";
import { signOut } from "../api/sign-in.ts";
import { startLive } from "../live/live.ts";
import { LiveStatus } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Hidden } from "../ui/layout.tsx";
import { Menu } from "../ui/menu.tsx";
import { toast, Toasts } from "../ui/toast.tsx";
import { GoneNotice } from "./gone-notice.tsx";
import { GuideStrip } from "./guide-strip.tsx";
import { PLACES } from "./places.ts";
import { SessionDialog } from "./session-dialog.tsx";
import css from "./shell.module.css";
import { useShortcuts } from "./shortcuts.ts";
import { chooseTheme, THEMES, useTheme } from "./theme.tsx";
import { usePending } from "./pending.ts";

/** Whether the sidebar shows only its icons, of this browser. */
const NARROW_ITEM = "slipway.narrow";

type Overlay = ComponentType<{ readonly onClose: () => void }>;

const Palette = overlay(async () => (await import("./palette.tsx")).Palette);
const ShortcutsHelp = overlay(async () => (await import("./shortcuts-help.tsx")).ShortcutsHelp);

/** An overlay that is loaded at its first opening. After an upgrade its file is missing; the page below must stay. */
function overlay(load: () => Promise<Overlay>) {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch {
      toast("Slipway was upgraded. Reload the page for the new release, once nothing typed is lost.");
      return { default: () => null };
    }
  });
}

export function Shell() {
  const main = useRef<HTMLElement>(null);
  const [overlay, setOverlay] = useState<"palette" | "shortcuts" | null>(null);
  const close = () => setOverlay(null);
  const [isNarrow, setNarrow] = useState(() => localStorage.getItem(NARROW_ITEM) === "true");
  const signIns = useSessionOfAllTabs();
  useShortcuts({ openPalette: () => setOverlay("palette"), openHelp: () => setOverlay("shortcuts") });
  useEffect(() => {
    const end = new AbortController();
    startLive(queryClient, end.signal);
    return () => end.abort();
    // The stream ended with the session before.
  }, [signIns]);
  return (
    <div className={css["shell"]} data-narrow={isNarrow}>
      <div className={css["skip"]} onFocus={(event) => event.currentTarget.scrollIntoView()}>
        <Button onClick={() => main.current?.focus()}>Skip to content</Button>
      </div>
      <Side
        onFind={() => setOverlay("palette")}
        onHelp={() => setOverlay("shortcuts")}
        isNarrow={isNarrow}
        onNarrow={(next) => {
          localStorage.setItem(NARROW_ITEM, String(next));
          setNarrow(next);
        }}
      />
      <main ref={main} id="main" tabIndex={-1} className={css["main"]}>
        <div className={css["news"]}>
          <LiveStatus />
        </div>
        <GoneNotice />
        <GuideStrip />
        <Outlet />
      </main>
      <Announcer />
      <Toasts />
      <SessionDialog />
      <Suspense>
        {overlay === "palette" ? <Palette onClose={close} /> : null}
        {overlay === "shortcuts" ? <ShortcutsHelp onClose={close} /> : null}
      </Suspense>
    </div>
  );
}

type SideProps = {
  readonly onFind: () => void;
  readonly onHelp: () => void;
  /** Only the icons are shown. */
  readonly isNarrow: boolean;
  readonly onNarrow: (isNarrow: boolean) => void;
};

function Side({ onFind, onHelp, isNarrow, onNarrow }: SideProps) {
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const pending = usePending();
  useEffect(() => setOpen(false), [path]);
  return (
    <header className={css["side"]}>
      <div className={css["top"]}>
        <RouterLink to={paths.home()} className={css["brand"]} aria-label="Slipway">
          <img src="/console/icon.svg" alt="" width="24" height="24" />
          <span>Slipway</span>
        </RouterLink>
        <span className={css["narrow"]}>
          <IconButton
            icon={isNarrow ? PanelLeftOpen : PanelLeftClose}
            label="Show only icons"
            title={isNarrow ? "Show the names" : "Show only icons"}
            isPressed={isNarrow}
            onClick={() => onNarrow(!isNarrow)}
          />
        </span>
        <span className={css["toggle"]}>
          <Button aria-expanded={isOpen} aria-controls="menu" onClick={() => setOpen(!isOpen)}>
            <Icon of={MenuIcon} /> Menu
          </Button>
        </span>
      </div>
      <div id="menu" className={css["inside"]} data-open={isOpen}>
        <button type="button" className={css["find"]} title="Search or do…" onClick={onFind}>
          <Icon of={Search} />
          <span>Search or do…</span> <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Main">
          {PLACES.map(({ title, places }) => (
            <div key={title} className={css["group"]}>
              <h2 id={`places-${title}`}>{title}</h2>
              <ul aria-labelledby={`places-${title}`}>
                {places.map(({ words, to, covers, icon }) => {
                  const isCurrent = covers.test(path);
                  const count = pending[to] ?? 0;
                  return (
                    <li key={to}>
                      <RouterLink
                        to={to}
                        activeProps={{}}
                        data-current={isCurrent}
                        aria-current={isCurrent ? "page" : undefined}
                        title={isNarrow ? words : undefined}
                      >
                        <Icon of={icon} />
                        <span>{words}</span>
                        {count === 0 ? null : (
                          <b>
                            {count}
                            <Hidden> pending</Hidden>
                          </b>
                        )}
                      </RouterLink>
                    </li>
                  );
                })}
              </ul>
            </div>
          ))}
        </nav>
        <Account onHelp={onHelp} />
      </div>
    </header>
  );
}

/** The signed-in user, and the actions that concern only that user. */
function Account({ onHelp }: { readonly onHelp: () => void }) {
  const me = useMe();
  const router = useRouter();
  const theme = useTheme();
  return (
    <Menu
      label={`Account: ${me.user.name} ${me.organization.name} · ${me.user.role}`}
      side="top"
      className={css["account"]}
      items={[
        {
          label: "My user",
          icon: UserRound,
          onSelect: () => void router.navigate({ to: paths.user(me.user.id) }),
        },
        {
          label: "My e-mail",
          icon: Mail,
          onSelect: () => void router.navigate({ to: paths.myNotifications() }),
        },
        {
          label: "API reference",
          icon: BookOpen,
          onSelect: () => window.open("/docs", "_blank", "noopener"),
        },
        { label: "Keyboard shortcuts", icon: Keyboard, onSelect: onHelp },
        ...THEMES.map(([value, words], index) => ({
          label: words,
          isChosen: value === theme,
          onSelect: () => chooseTheme(value),
          ...(index === 0 ? { group: "Theme" } : {}),
        })),
        { label: "Sign out", icon: LogOut, group: "", onSelect: () => void signOut() },
      ]}
    >
      <span className={css["initial"]} aria-hidden="true" data-initial={me.user.name.match(/./u)?.[0]} />
      <span className={css["who"]}>
        {me.user.name}{" "}
        <small>
          {me.organization.name} · {me.user.role}
        </small>
      </span>
      <Icon of={ChevronsUpDown} size={14} />
    </Menu>
  );
}

/**
 * A sign-out in one tab signs out all tabs; a sign-in as another user shows the data of that user.
 * @returns how many sign-ins happened while this component was shown
 */
function useSessionOfAllTabs(): number {
  const router = useRouter();
  const [signIns, setSignIns] = useState(0);
  useEffect(
    () =>
      onSessionChange((change) => {
        if (change === "signed-in") {
          setSignIns((before) => before + 1);
          return void queryClient.invalidateQueries();
        }
        // The page needs its data until the sign-in page is shown.
        void router.navigate({ to: paths.signIn() }).then(() => queryClient.clear());
      }),
    [router],
  );
  return signIns;
}

/** Says the new page's name to screen readers, and puts the focus on its heading. */
function Announcer() {
  const router = useRouter();
  const [said, setSaid] = useState("");
  useEffect(
    () =>
      router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
        if (!pathChanged || fromLocation === undefined) return;
        const heading = document.querySelector<HTMLElement>("main h1");
        heading?.focus({ preventScroll: true });
        setSaid(heading?.textContent ?? "");
      }),
    [router],
  );
  return (
    <div aria-live="polite" role="status">
      <Hidden>{said}</Hidden>
    </div>
  );
}
