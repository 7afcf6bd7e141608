import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { queryClient } from "../api/query.ts";
import { announceSession, onSessionChange } from "../api/session.ts";
import { Notice } from "../components/problem.tsx";
import { SignInForm } from "../components/sign-in-form.tsx";
import css from "../components/shell.module.css";
import { SignInProviders } from "../components/sign-in-providers.tsx";
import { tellSignInError } from "../api/sign-in-words.ts";
import { paths } from "../paths.ts";

export function SignInPage() {
  const { to = paths.projects(), isDone = false, error, requestId } = useSearch({ from: "/sign-in" });
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
  // A provider has led back here with a session, of which all tabs have to know.
  useEffect(() => {
    if (isDone) announceSession("signed-in");
  }, [isDone]);
  return (
    <main className={css["alone"]}>
      <p className={css["brand"]}>
        <img src="/console/icon.svg" alt="" width="40" height="40" />
        Slipway
      </p>
      <h1 tabIndex={-1}>Sign in</h1>
      {error === undefined ? null : (
        <Notice title={tellSignInError(error).title} isBad>
          <p>{tellSignInError(error).next}</p>
          <p>
            <a href={`/docs/errors/${error}`}>{error}</a>
            {requestId === undefined ? null : (
              <>
                {" "}
                · request <code>{requestId}</code>
              </>
            )}
          </p>
        </Notice>
      )}
      <SignInProviders to={to} />
      <SignInForm onDone={() => undefined} />
      <p>
        <a href="/docs">API reference</a>
      </p>
    </main>
  );
}
