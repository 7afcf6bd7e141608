import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { queryClient } from "../api/query.ts";
import { onSessionChange } from "../api/session.ts";
import { SignInForm } from "../components/sign-in-form.tsx";
import css from "../components/shell.module.css";
import { paths } from "../paths.ts";

export function SignInPage() {
  const { to = paths.projects() } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  useEffect(() => {
    document.title = "Sign in · Slipway";
  }, []);
  // In this tab or another one.
  useEffect(
    () =>
      onSessionChange((change) => {
        if (change === "signed-out") return;
        queryClient.clear();
        void navigate({ to, replace: true });
      }),
    [navigate, to],
  );
  return (
    <main className={css["alone"]}>
      <p className={css["brand"]}>
        <img src="/console/icon.svg" alt="" width="40" height="40" />
        Slipway
      </p>
      <h1 tabIndex={-1}>Sign in</h1>
      <SignInForm onDone={() => undefined} />
      <p>
        <a href="/docs">API reference</a>
      </p>
    </main>
  );
}
