import { read, useLater } from "../api/query.ts";
import css from "./sign-in.module.css";
import { buttonClass } from "../ui/button.tsx";
import { Fine } from "../ui/layout.tsx";

/**
 * The identity providers to sign in at; nothing if the installation has none.
 * @param props.to the page to come back to; in a new tab if there is a page to stay on
 */
export function SignInProviders({
  to,
  isNewTab = false,
}: {
  readonly to: string;
  readonly isNewTab?: boolean;
}) {
  const { data } = useLater(read("signIn", "listProviders"));
  if (data === undefined || data.providers.length === 0) return null;
  const back = `/console/sign-in?${new URLSearchParams({ to, isDone: "true" }).toString()}`;
  return (
    <div className={css["providers"]}>
      {data.providers.map(({ name, label, startUrl, isReachable }) => (
        <div key={name}>
          <a
            className={buttonClass("primary")}
            href={`${startUrl}?${new URLSearchParams({ returnTo: back }).toString()}`}
            {...(isNewTab ? { target: "_blank", rel: "noopener" } : {})}
          >
            Sign in with {label}
          </a>
          {isReachable ? null : <Fine>It does not answer at the moment.</Fine>}
        </div>
      ))}
      <p className={css["or"]}>or</p>
    </div>
  );
}
