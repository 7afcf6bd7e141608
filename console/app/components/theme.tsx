import { useId, useState } from "react";
import { Hidden } from "../ui/layout.tsx";
import css from "./shell.module.css";

const ITEM = "slipway.theme";
type Theme = "system" | "light" | "dark";

function readTheme(): Theme {
  const kept = localStorage.getItem(ITEM);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Shows the console in the theme that was chosen here; otherwise in the system's. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme);
  const id = useId();
  return (
    <span>
      <label htmlFor={id}>
        <Hidden>Theme</Hidden>
      </label>
      <select
        id={id}
        className={css["theme"]}
        value={theme}
        onChange={(event) => {
          const next = event.target.value as Theme;
          localStorage.setItem(ITEM, next);
          applyTheme(next);
          setTheme(next);
        }}
      >
        <option value="system">Theme of the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </span>
  );
}
