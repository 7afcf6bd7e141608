import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { queryClient } from "../api/query.ts";
import { announceSession, onSessionChange } from "../api/session.ts";
import { Notice } from "../components/problem.tsx";
import { SignInForm } from "../components/sign-in-form.tsx";
import { SignInProviders } from "../components/sign-in-providers.tsx";
import { describeSignInError } from "../api/sign-in-words.ts";
import { paths } from "../paths.ts";
import css from "./sign-in.module.css";

export function SignInPage() {
  const { to = paths.home(), isDone = false, error, requestId } = useSearch({ from: "/sign-in" });
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
    <main className={css["page"]}>
      <div className={css["card"]}>
        <p className={css["brand"]}>
          <img src="/console/icon.svg" alt="" width="36" height="36" />
          Slipway
        </p>
        <p className={css["sentence"]}>
          Deploy into your own cloud account, and serve it on domains of yours and of your customers.
        </p>
        <h1 tabIndex={-1}>Sign in</h1>
        {error === undefined ? null : (
          <Notice title={describeSignInError(error).title} isBad>
            <p>{describeSignInError(error).next}</p>
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
      </div>
      <p className={css["links"]}>
        <a href="/docs">API reference</a>
      </p>
    </main>
  );
}
