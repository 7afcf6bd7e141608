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

// After an upgrade of the server, files of the release in this tab no longer exist. The new release is loaded, once,
// with the page that the user goes to. If the user only points at a link, the tab is not reloaded.
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
