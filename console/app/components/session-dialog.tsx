import { useEffect, useState } from "react";
import { onSessionChange, setRenewal } from "../api/session.ts";
import { paths } from "../paths.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SignInProviders } from "./sign-in-providers.tsx";

type Waiting = { readonly resolve: () => void; readonly reject: (reason: Error) => void };

/** Asks the user to sign in again, over the page, when the session has expired. The input on the page stays. */
export function SessionDialog() {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  useEffect(() => {
    let asked: Promise<void> | null = null;
    setRenewal(() => {
      asked ??= new Promise<void>((resolve, reject) => setWaiting({ resolve, reject })).finally(() => {
        asked = null;
        setWaiting(null);
      });
      return asked;
    });
    return () => setRenewal(null);
  }, []);
  // The user may have signed in again in another tab.
  useEffect(
    () => onSessionChange((change) => (change === "signed-in" ? waiting?.resolve() : undefined)),
    [waiting],
  );
  if (waiting === null) return null;
  const cancel = () => waiting.reject(new Error("Not signed in again."));
  return (
    <Dialog title="Sign in again" onClose={cancel}>
      <p>
        Your session has ended. What you have typed is kept, and what you just asked for is done afterwards.
      </p>
      <SignInProviders to={paths.home()} isNewTab />
      <SignInForm onDone={waiting.resolve} onCancel={cancel} />
    </Dialog>
  );
}
