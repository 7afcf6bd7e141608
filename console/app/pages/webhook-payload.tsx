import css from "./webhook.module.css";

/** Shows a text unchanged, such as the body of a request or of its answer. */
export function Payload({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // It scrolls, which the keyboard has to reach.
    <pre className={css["payload"]} tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
