/** Starts the console. */
import "./ui/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query.ts";
import { applyTheme } from "./components/theme.tsx";
import { router } from "./routes.tsx";

const RELOADED_ITEM = "slipway.reloadedAt";
const RELOAD_AGAIN_MS = 30_000;

// After an upgrade of the server, parts of the release in this tab are gone: the new release is loaded, once, with the
// page that somebody goes to. What they only point at is no reason to leave the page that they are on.
globalThis.addEventListener("vite:preloadError", () => {
  if (!router.state.isLoading) return;
  const last = Number(sessionStorage.getItem(RELOADED_ITEM) ?? 0);
  if (Date.now() - last < RELOAD_AGAIN_MS) return;
  sessionStorage.setItem(RELOADED_ITEM, String(Date.now()));
  globalThis.location.reload();
});

applyTheme();
const app = document.querySelector("#app");
if (app === null) throw new Error("The page has no place for the console.");
createRoot(app).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
